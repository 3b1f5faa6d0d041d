#!/usr/bin/env bash
# Sets up the checkout as quickstart.sh does and runs every check: linter, formatter, types, import order, shell
# scripts, tests. Arguments go to pytest. The checks before the tests do not stop them; any failure fails the script.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/setup.sh
. scripts/setup.sh

setup_checkout train,dev,wandb,ray,lora,tensorboard,inspect all
if ! command -v chromium >/dev/null; then
  apt_install chromium || say "No chromium: the tests of pages are skipped"
fi
export PATH="$PWD/.venv/bin:$PATH"
export OMP_NUM_THREADS=1   # more threads than cores beside busy verifiers is several times slower
export HF_HUB_OFFLINE=1    # nothing that is tested may need the network
failed=()

check() {
  say "$*"
  "$@" || failed+=("$1")
}

check ruff check .
check ruff format --check .
check mypy
check lint-imports
if command -v shellcheck >/dev/null; then
  check shellcheck -x scripts/*.sh .ci/run
fi

say "pytest"
status=0
pytest -n 2 --dist loadfile "$@" || status=$?
if [ ${#failed[@]} -gt 0 ]; then
  say "failed before the tests: ${failed[*]}"
  exit 1
fi
exit "$status"
