#!/usr/bin/env bash
# Installs verifiers. What is there already is used and left as it is, so a second call takes a second.
#
#   scripts/install_toolchains.sh dafny|nagini|all [--from debian|release|dotnet]
#
# bubblewrap, the sandbox, is installed in any case.
#
# dafny, without --from: a Dafny named by DAFNY, on PATH or fetched before is used, else Debian's package. With --from, that
# source is installed beside whatever is there:
#   debian   Debian's or Ubuntu's package dafny (2.3.0); needs root or sudo
#   release  the official 4.11.0 archive (Linux x86-64), checked against its SHA-256; brings its own Z3. Untried.
#   dotnet   `dotnet tool install --global Dafny --version 4.11.0`; needs the .NET SDK 8. Untried.
# Dafny 2.3 also gets Z3 4.8.5 (from the wheel z3-solver 4.8.5.0, in a virtual environment of its own; Debian's Z3
# 4.8.12 does not suit it).
#
# nagini: Nagini 1.2.0 with its Z3 4.8.7, in a virtual environment of its own (180 MB, a minute), and Debian's
# openjdk-17-jre-headless (190 MB) where no Java 11 or newer is found. A Nagini named by NAGINI is left as it is.
#
#   VERULAW_HOME    where fetched tools go (default ~/.local/share/verulaw_rl), under toolchains/
#   DAFNY           a Dafny to use
#   NAGINI          a Nagini 1.2 to use
#   NAGINI_PYTHON   the Python (3.10 to 3.12) for Nagini's environment (default: the first that is found)
set -euo pipefail

DAFNY_RELEASE="4.11.0"
DAFNY_ASSET="dafny-4.11.0-x64-ubuntu-22.04.zip"
DAFNY_URL="https://github.com/dafny-lang/dafny/releases/download/v$DAFNY_RELEASE/$DAFNY_ASSET"
# As published by independent projects that pin this archive.
DAFNY_SHA256=a46a9ff7cdd720f7955854c78e95df13f4cfe6b80691b05f8654fe19e8267179
TOOLCHAINS="${VERULAW_HOME:-$HOME/.local/share/verulaw_rl}/toolchains"
Z3="$TOOLCHAINS/z3-4.8.5"
NAGINI_VERSION="1.2.0"
NAGINI_HOME="$TOOLCHAINS/nagini-$NAGINI_VERSION"

say() { printf '== %s\n' "$*" >&2; }

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

usage() {
  sed -n '2,/^set -euo/p' "$0" | sed '$d; s/^# \{0,1\}//'
}

# apt_install PACKAGE...: as root, or through sudo.
apt_install() {
  command -v apt-get >/dev/null || fail "no apt-get here; install by hand: $* (or choose --from release or dotnet)"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "need root and there is no sudo; as root: apt-get install $*"
    as_root=(sudo)
    # Without a terminal a password cannot be typed.
    [ -t 0 ] || as_root=(sudo -n)
  fi
  say "Installing with apt: $*"
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null 2>&1; then
    "${as_root[@]}" apt-get update -qq || fail "apt-get update failed; as root: apt-get update && apt-get install $*"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null ||
      fail "apt-get install $* failed; see its message above"
  fi
}

# existing_dafny: prints the path of the Dafny that would be used; fails when there is none.
existing_dafny() {
  if [ -n "${DAFNY:-}" ]; then
    [ -f "$DAFNY" ] && printf '%s\n' "$DAFNY" && return
    command -v "$DAFNY" || fail "DAFNY=$DAFNY names no program: unset it or correct it"
    return
  fi
  command -v dafny && return
  local candidate
  for candidate in "$TOOLCHAINS"/dafny-*/dafny/dafny "$HOME/.dotnet/tools/dafny"; do
    if [ -x "$candidate" ]; then
      printf '%s\n' "$candidate"
      return
    fi
  done
  return 1
}

# is_legacy DAFNY: whether it is 2.3, which prints its version only in its first line.
is_legacy() {
  case "$1" in *.exe) return 0 ;; esac
  # It exits with 1 for a switch that it does not know, having printed the line.
  { "$1" /version 2>/dev/null || true; } | grep -q '^Dafny 2\.'
}

install_z3() {
  if [ -x "$Z3/bin/z3" ]; then
    say "Z3 4.8.5 is there: $Z3/bin/z3"
    return
  fi
  if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    apt_install python3-venv
  fi
  say "Installing Z3 4.8.5 into $Z3"
  rm -rf "$Z3"
  mkdir -p "$TOOLCHAINS"
  python3 -m venv "$Z3"
  "$Z3/bin/python" -m pip install -q z3-solver==4.8.5.0 ||
    fail "pip could not install z3-solver==4.8.5.0; name another Z3 4.8.5 by VERULAW_Z3"
  [ -x "$Z3/bin/z3" ] || fail "the wheel of z3-solver 4.8.5.0 brought no z3 into $Z3/bin"
}

from_debian() {
  if [ -f /usr/lib/dafny/Dafny.exe ]; then
    say "Debian's Dafny is there: /usr/bin/dafny"
  else
    # Recommends nothing more: it depends on mono-runtime, and on mono-mcs to compile programs for running them.
    apt_install dafny
  fi
  install_z3
}

from_release() {
  local folder="$TOOLCHAINS/dafny-$DAFNY_RELEASE" download sum
  if [ -x "$folder/dafny/dafny" ]; then
    say "Dafny $DAFNY_RELEASE is there: $folder/dafny/dafny"
  else
    [ "$(uname -sm)" = "Linux x86_64" ] || fail "the archive is for Linux x86-64, this is $(uname -sm); use --from dotnet"
    command -v curl >/dev/null || apt_install curl
    command -v unzip >/dev/null || apt_install unzip
    mkdir -p "$TOOLCHAINS"
    download=$(mktemp -d "$TOOLCHAINS/download.XXXXXX")
    # shellcheck disable=SC2064  # the folder as it is now
    trap "rm -rf '$download'" EXIT
    say "Fetching $DAFNY_URL"
    curl -fsSL --retry 3 -o "$download/$DAFNY_ASSET" "$DAFNY_URL" || fail "could not fetch $DAFNY_URL"
    sum=$(sha256sum "$download/$DAFNY_ASSET" | cut -d' ' -f1)
    [ "$sum" = "$DAFNY_SHA256" ] || fail "$DAFNY_ASSET has SHA-256 $sum, expected $DAFNY_SHA256: not installed"
    unzip -q "$download/$DAFNY_ASSET" -d "$download/unpacked"
    rm -rf "$folder"
    mv "$download/unpacked" "$folder"
    chmod +x "$folder/dafny/dafny" "$folder"/dafny/z3/bin/* 2>/dev/null || true
  fi
  say "To use it: export DAFNY=$folder/dafny/dafny"
}

from_dotnet() {
  command -v dotnet >/dev/null || fail "dotnet is not on PATH: install the .NET SDK 8, https://dotnet.microsoft.com/download"
  if [ -x "$HOME/.dotnet/tools/dafny" ]; then
    say "Dafny is there as a dotnet tool: $HOME/.dotnet/tools/dafny"
  else
    say "Installing Dafny $DAFNY_RELEASE as a dotnet tool"
    dotnet tool install --global Dafny --version "$DAFNY_RELEASE"
  fi
  say "To use it: export DAFNY=$HOME/.dotnet/tools/dafny"
}

# java_found: whether the Java that would be used is 11 or newer.
java_found() {
  local java=${JAVA_HOME:+$JAVA_HOME/bin/}java version
  version=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1) || return 1
  [ -n "$version" ] && [ "$version" -ge 11 ]
}

# nagini_python: prints a Python that Nagini runs on.
nagini_python() {
  local candidate
  for candidate in ${NAGINI_PYTHON:+"$NAGINI_PYTHON"} python3.11 python3.12 python3.10 python3; do
    if "$candidate" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 12))' 2>/dev/null; then
      printf '%s\n' "$candidate"
      return
    fi
  done
  fail "Nagini needs a Python from 3.10 to 3.12 (python3 is $(python3 --version 2>&1 || echo missing));" \
    "install one, or name it: NAGINI_PYTHON=/path/to/python3.11 $0 nagini"
}

install_nagini() {
  local python
  if java_found; then
    say "Java is there: $(command -v "${JAVA_HOME:+$JAVA_HOME/bin/}java")"
  else
    apt_install openjdk-17-jre-headless
    java_found || fail "no Java 11 or newer after installing openjdk-17-jre-headless; is JAVA_HOME right?"
  fi
  if [ -n "${NAGINI:-}" ]; then
    command -v "$NAGINI" >/dev/null || fail "NAGINI=$NAGINI names no program: unset it or correct it"
    say "Using the Nagini at $NAGINI"
    return
  fi
  if [ -e "$NAGINI_HOME/.complete" ]; then
    say "Nagini $NAGINI_VERSION is there: $NAGINI_HOME/bin/nagini"
    return
  fi
  python=$(nagini_python)
  if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    apt_install python3-venv
  fi
  say "Installing Nagini $NAGINI_VERSION into $NAGINI_HOME with $("$python" --version) (a minute)"
  rm -rf "$NAGINI_HOME"
  mkdir -p "$TOOLCHAINS"
  "$python" -m venv "$NAGINI_HOME"
  # What it needs to run, without what it lists for its own tests and for Python 2: typed-ast would need a compiler.
  "$NAGINI_HOME/bin/python" -m pip install -q --no-deps "nagini==$NAGINI_VERSION" mypy==0.900 mypy_extensions==0.4.4 \
    "typing_extensions>=4" toml==0.10.2 toposort==1.5 jpype1==1.5.0 packaging astunparse==1.6.2 six z3-solver==4.8.7.0 ||
    fail "pip could not install Nagini $NAGINI_VERSION; see its message above"
  "$NAGINI_HOME/bin/nagini" --help >/dev/null || fail "the Nagini in $NAGINI_HOME does not start; see its message above"
  touch "$NAGINI_HOME/.complete"
}

install_dafny() {
  local dafny
  case "$1" in
    debian) from_debian ;;
    release) from_release ;;
    dotnet) from_dotnet ;;
    "")
      if dafny=$(existing_dafny); then
        say "Using the Dafny at $dafny"
        if is_legacy "$dafny"; then
          install_z3
        fi
      else
        [ -z "${DAFNY:-}" ] || exit 1
        from_debian
      fi
      ;;
    *) fail "--from $1: use debian, release or dotnet" ;;
  esac
}

tool=""
from=""
while [ $# -gt 0 ]; do
  case "$1" in
    -h | --help)
      usage
      exit 0
      ;;
    --from)
      [ $# -ge 2 ] || fail "--from needs debian, release or dotnet"
      from=$2
      shift
      ;;
    --from=*) from=${1#--from=} ;;
    dafny | nagini | all) tool=$1 ;;
    *) fail "unknown argument $1; usage: $0 dafny|nagini|all [--from debian|release|dotnet]" ;;
  esac
  shift
done
[ -n "$tool" ] || fail "name what to install; usage: $0 dafny|nagini|all [--from debian|release|dotnet]"

if ! command -v bwrap >/dev/null; then
  apt_install bubblewrap
fi
if [ "$tool" != nagini ]; then
  install_dafny "$from"
fi
if [ "$tool" != dafny ]; then
  install_nagini
fi
say "Done"
