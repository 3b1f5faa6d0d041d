#!/usr/bin/env bash
# Sets up this checkout: sourced by quickstart.sh and test.sh, which then call `setup_checkout EXTRAS TOOLS`.
# Everything that is there already is left as it is, so a second call takes a second.
#
#   VERULAW_PYTHON  the Python to make .venv with (default: the newest of python3.13, 3.12, 3.11, python3)
#   VERULAW_TORCH   what pip installs when torch is missing (default: torch==2.13.0); to get the small CPU build from
#                   torch's own index: "torch==2.13.0 --index-url https://download.pytorch.org/whl/cpu"
#   DAFNY           a Dafny to use instead of the one on PATH

say() { printf '== %s\n' "$*" >&2; }

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# apt_install PACKAGE...: as root, or through sudo where that asks no questions that cannot be answered.
apt_install() {
  command -v apt-get >/dev/null || return 1
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || return 1
    as_root=(sudo)
    [ -t 0 ] || as_root=(sudo -n)
  fi
  say "Installing with apt: $*"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null 2>&1 && return
  "${as_root[@]}" apt-get update -qq || return 1
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null
}

find_python() {
  local candidate
  for candidate in ${VERULAW_PYTHON:+"$VERULAW_PYTHON"} python3.13 python3.12 python3.11 python3; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      printf '%s\n' "$candidate"
      return
    fi
  done
  fail "no Python 3.11 or newer found (python3 is $(python3 --version 2>&1 || echo missing));" \
    "install one, or name it: VERULAW_PYTHON=/path/to/python3.12 $0"
}

make_venv() {
  [ -x .venv/bin/python ] && .venv/bin/python -m pip --version >/dev/null 2>&1 && return
  local python
  python=$(find_python)
  if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    apt_install python3-venv || fail "$python cannot make virtual environments; as root: apt-get install python3-venv"
  fi
  say "Creating .venv with $("$python" --version)"
  "$python" -m venv .venv || fail "$python -m venv .venv failed; remove .venv and see its message above"
}

# install_package EXTRAS: skipped while pyproject.toml and the choice of torch are those of the last time.
install_package() {
  local extras=$1 stamp wanted
  stamp=".venv/.verulaw-${extras//,/-}"
  wanted=$({ cat pyproject.toml && printf '%s %s' "$PWD" "${VERULAW_TORCH:-}"; } | sha256sum)
  [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && return
  if ! .venv/bin/python -c 'import importlib.util, sys; sys.exit(not importlib.util.find_spec("torch"))'; then
    say "Installing ${VERULAW_TORCH:-torch==2.13.0} (a few minutes)"
    # shellcheck disable=SC2086  # VERULAW_TORCH may hold options of pip
    .venv/bin/python -m pip install -q ${VERULAW_TORCH:-torch==2.13.0}
  fi
  say "Installing verulaw_rl with its extras: $extras (a few minutes the first time)"
  .venv/bin/python -m pip install -q -e ".[$extras]"
  printf '%s\n' "$wanted" >"$stamp"
}

# setup_checkout EXTRAS TOOLS: TOOLS is what install_toolchains.sh takes.
setup_checkout() {
  make_venv
  install_package "$1"
  bash scripts/install_toolchains.sh "$2"
}
