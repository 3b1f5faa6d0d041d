"""Finds Nagini, its solver and Java on this machine, and says what is missing and how to get it.

``NAGINI`` (environment: the command, in a virtual environment of its own), then where the install script puts
one, then ``PATH``. The tool is asked for its version once.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from verulaw_rl.errors import UserError
from verulaw_rl.verification.toolchains import normalised, outside_system, toolchains

INSTALL = "scripts/install_toolchains.sh nagini"
"""The command that gets Nagini."""

_SUPPORTED = "1.2."
_JAVA_AT_LEAST = 11
_PYTHON_AT_LEAST = (3, 10)
"""On 3.9 pip installs a compiled mypy, in which the type checker's cache cannot be mended (``resident``)."""
_ASK = (
    "import importlib.metadata as m, json, sys; "
    "print(json.dumps([m.version('nagini'), sys.base_prefix, sys.version.split()[0]]))"
)


@dataclass(frozen=True, slots=True)
class NaginiTool:
    """An installed Nagini."""

    path: Path
    """The command ``nagini``."""
    python: Path
    """Of its virtual environment."""
    version: str
    solver: Path
    solver_version: str
    java: Path
    java_version: str
    java_home: Path
    python_version: str
    readable: tuple[Path, ...]
    """Folders outside the system ones that it needs."""


def find_nagini() -> NaginiTool:
    """The Nagini to use, found anew when ``NAGINI``, ``JAVA_HOME``, ``VERULAW_HOME`` or ``PATH`` change.

    Raises:
        UserError: it or Java is missing, does not run, or has a version that is not supported.
    """
    return _find(*(os.environ.get(k) for k in ("NAGINI", "JAVA_HOME", "VERULAW_HOME", "PATH")))


@lru_cache(maxsize=8)
def _find(named: str | None, java_home: str | None, home: str | None, search: str | None) -> NaginiTool:
    if named:
        path = Path(shutil.which(named) or named)
        if not path.is_file():
            raise UserError(f"NAGINI={named} names no program: set it to a Nagini 1.2, or unset it and run {INSTALL}")
    else:
        fetched = sorted(toolchains().glob("nagini-1.2*/bin/nagini"))
        found = str(fetched[-1]) if fetched else shutil.which("nagini")
        if found is None:
            raise UserError(f"Nagini is not installed and NAGINI is not set: run {INSTALL}, or set NAGINI")
        path = Path(found)
    python = path.resolve().with_name("python")
    if not python.is_file():
        raise UserError(f"{path} stands beside no python: name the one in its virtual environment, or run {INSTALL}")
    version, base, python_version = _ask(python)
    if not version.startswith(_SUPPORTED):
        raise UserError(f"{path} is Nagini {version}; supported is 1.2: run {INSTALL}, or set NAGINI to one")
    if tuple(map(int, python_version.split(".")[:2])) < _PYTHON_AT_LEAST:
        raise UserError(
            f"{path} runs on Python {python_version}; it must be 3.10 to 3.12: run {INSTALL}, or set NAGINI"
        )
    solver = python.with_name("z3")
    if not solver.is_file():
        raise UserError(f"{path} has no z3 beside it: run {INSTALL}")
    java = Path(java_home) / "bin/java" if java_home else Path(shutil.which("java") or "java")
    java_version, in_home = _java(java)
    return NaginiTool(
        path=path,
        python=python,
        version=version,
        solver=solver,
        solver_version=normalised(_run([str(solver), "--version"])),
        java=java,
        java_version=java_version,
        java_home=in_home,
        python_version=python_version,
        readable=outside_system(python.parent.parent, Path(base), in_home),
    )


def _ask(python: Path) -> tuple[str, str, str]:
    said = _run([str(python), "-c", _ASK])
    try:
        version, base, python_version = json.loads(said)
    except ValueError:
        last = (said.strip().splitlines() or ["nothing"])[-1]
        raise UserError(f"{python} does not know Nagini (it said {last[:120]!r}): run {INSTALL}") from None
    return normalised(version), base, python_version


def _java(java: Path) -> tuple[str, Path]:
    """Version and home of a Java."""
    said = _run([str(java), "-XshowSettings:properties", "-version"])
    version = re.search(r"java\.version = (\S+)", said)
    home = re.search(r"java\.home = (.+)", said)
    if version is None or home is None or int(version[1].split(".")[0]) < _JAVA_AT_LEAST:
        which = f"{java} is Java {version[1]}" if version else "Java was not found"
        raise UserError(f"Nagini needs Java {_JAVA_AT_LEAST} or newer, and {which}: run {INSTALL}, or set JAVA_HOME")
    return version[1], Path(home[1].strip())


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as e:
        return str(e)
    return done.stdout + done.stderr
