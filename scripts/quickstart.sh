#!/usr/bin/env bash
# Trains a small policy against live Dafny on a fresh Debian 12 or Ubuntu machine with Python 3.11 or newer.
# Installs what is missing (see setup.sh), then runs configs/quickstart.yaml; safe to run twice. Arguments go to
# `verulaw-rl train`, e.g. `--set seed=1`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/setup.sh
. scripts/setup.sh

setup_checkout train dafny
say "Training: configs/quickstart.yaml (under 15 minutes on two cores)"
exec .venv/bin/verulaw-rl train configs/quickstart.yaml "$@"
