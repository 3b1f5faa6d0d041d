#!/usr/bin/env bash
# Installs verifiers. What is there already is used and left as it is, so a second call takes a second.
#
#   scripts/install_toolchains.sh dafny|all [--from debian|release|dotnet]
#
# Without --from: a Dafny named by DAFNY, on PATH or fetched before is used, else Debian's package. With --from, that
# source is installed beside whatever is there:
#   debian   Debian's or Ubuntu's package dafny (2.3.0); needs root or sudo
#   release  the official 4.11.0 archive (Linux x86-64), checked against its SHA-256; brings its own Z3. Untried.
#   dotnet   `dotnet tool install --global Dafny --version 4.11.0`; needs the .NET SDK 8. Untried.
# Dafny 2.3 also gets Z3 4.8.5 (from the wheel z3-solver 4.8.5.0, in a virtual environment of its own; Debian's Z3
# 4.8.12 does not suit it). bubblewrap, the sandbox, is installed in any case.
#
#   VERULAW_HOME  where fetched tools go (default ~/.local/share/verulaw_rl), under toolchains/
#   DAFNY         a Dafny to use
set -euo pipefail

DAFNY_RELEASE="4.11.0"
DAFNY_ASSET="dafny-4.11.0-x64-ubuntu-22.04.zip"
DAFNY_URL="https://github.com/dafny-lang/dafny/releases/download/v$DAFNY_RELEASE/$DAFNY_ASSET"
# As published by independent projects that pin this archive.
DAFNY_SHA256=a46a9ff7cdd720f7955854c78e95df13f4cfe6b80691b05f8654fe19e8267179
TOOLCHAINS="${VERULAW_HOME:-$HOME/.local/share/verulaw_rl}/toolchains"
Z3="$TOOLCHAINS/z3-4.8.5"

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

install_dafny() {
  local dafny
  if ! command -v bwrap >/dev/null; then
    apt_install bubblewrap
  fi
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
    dafny | all) tool=$1 ;;
    *) fail "unknown argument $1; usage: $0 dafny|all [--from debian|release|dotnet]" ;;
  esac
  shift
done
[ -n "$tool" ] || fail "name what to install; usage: $0 dafny|all [--from debian|release|dotnet]"

install_dafny "$from"
say "Done"
