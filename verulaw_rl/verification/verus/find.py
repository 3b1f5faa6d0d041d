"""Finds Verus on this machine, and says what is missing and how to get it.

``VERUS`` (environment), then ``PATH``, then the toolchains folder. A release brings Z3 and vstd along and needs the
Rust toolchain that it names, by ``rustup``. ``doctor`` and the adapter call :func:`find_verus`. Untried: no release was
at hand; what it prints of itself is taken from its source.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from verulaw_rl.errors import UserError
from verulaw_rl.verification.toolchains import normalised, outside_system, toolchains

INSTALL = (
    "unpack a release from https://github.com/verus-lang/verus/releases into "
    "~/.local/share/verulaw_rl/toolchains/, run its `verus` once for the Rust toolchain that it names"
)
"""How to get Verus."""

UNTRIED = "its adapter is tested on recorded output only, never with a live Verus"
"""What a person should know before relying on it."""

OLDEST = (0, 2025, 5)
"""The first releases that ask of every loop and recursion that it ends; under older ones an endless loop proves all."""


@dataclass(frozen=True, slots=True)
class VerusTool:
    """An installed Verus."""

    path: Path
    version: str
    """As it says it: ``0.2026.06.07.cd03505``."""
    toolchain: str
    """Rust toolchain that it runs under."""
    solver_version: str
    no_cheating: bool
    """Whether it can be told to refuse every trusted construct itself."""
    readable: tuple[Path, ...]
    """Folders outside the system ones that it needs."""
    environment: tuple[tuple[str, str], ...]
    """Variables that it needs beside the sandbox's own."""


def find_verus() -> VerusTool:
    """The Verus to use, found anew when the environment that decides changes.

    Raises:
        UserError: none is there, it does not run, or it is too old.
    """
    names = ("VERUS", "VERULAW_HOME", "PATH", "RUSTUP_HOME", "CARGO_HOME", "HOME")
    return _find(*(os.environ.get(name) for name in names))


@lru_cache(maxsize=8)
def _find(
    verus: str | None,
    home: str | None,
    search: str | None,
    rustup_home: str | None,
    cargo_home: str | None,
    user_home: str | None,
) -> VerusTool:
    if verus:
        path = Path(shutil.which(verus) or verus)
        if not path.is_file():
            raise UserError(f"VERUS={verus} names no program: set it to a Verus, or unset it and {INSTALL}")
    else:
        found = shutil.which("verus") or next(_fetched(), None)
        if found is None:
            raise UserError(f"Verus is not on PATH and VERUS is not set: {INSTALL}, or set VERUS ({UNTRIED})")
        path = Path(found)
    printed = _ask(path, "--version", "--output-json")
    version, toolchain = read_version(printed)
    if not version:
        raise UserError(
            f"{path} does not say its version (it printed {printed.strip()[:80]!r}): {INSTALL}, or set VERUS"
        )
    if not is_supported(version):
        oldest = ".".join(map(str, OLDEST))
        raise UserError(f"{path} is Verus {version}, which proves no termination; {oldest} or newer: {INSTALL}")
    real = path.resolve()
    rustup = Path(rustup_home or Path(user_home or "/root") / ".rustup")
    cargo = Path(cargo_home or Path(user_home or "/root") / ".cargo")
    wanted = [real.parent, *(p for p in (rustup, cargo / "bin") if p.is_dir())]
    solver = real.with_name("z3")
    return VerusTool(
        path=real,
        version=version,
        toolchain=toolchain,
        solver_version=normalised(_ask(solver, "--version")) if solver.is_file() else "",
        no_cheating="no-cheating" in _ask(path, "--help"),
        readable=outside_system(*wanted),
        environment=(
            ("PATH", f"{cargo / 'bin'}:/usr/local/bin:/usr/bin:/bin"),
            ("RUSTUP_HOME", str(rustup)),
            ("CARGO_HOME", str(cargo)),
        ),
    )


def read_version(printed: str) -> tuple[str, str]:
    """Version and toolchain that ``verus --version`` says, as JSON or for people; empty where it says none."""
    start = printed.find("{")
    if start >= 0:
        try:
            said = json.JSONDecoder().raw_decode(printed, start)[0].get("verus") or {}
            return str(said.get("version") or ""), str(said.get("toolchain") or "")
        except (ValueError, AttributeError):
            pass
    version = re.search(r"Version: (\S+)", printed)
    toolchain = re.search(r"Toolchain: (\S+)", printed)
    return (version[1] if version else ""), (toolchain[1] if toolchain else "")


def is_supported(version: str) -> bool:
    """Whether a release is new enough; builds that say no date are taken as they are."""
    numbers = re.match(r"0\.(\d{4})\.(\d+)", version)
    return numbers is None or (0, int(numbers[1]), int(numbers[2])) >= OLDEST


def _fetched() -> Iterator[Path]:
    for path in sorted(toolchains().glob("verus*/**/verus"), reverse=True):
        if path.is_file() and os.access(path, os.X_OK):
            yield path


def _ask(path: Path, *options: str) -> str:
    try:
        done = subprocess.run([str(path), *options], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise UserError(f"{path} does not run ({e}): {INSTALL}, or set VERUS") from None
    return done.stdout + done.stderr
