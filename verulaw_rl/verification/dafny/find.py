"""Finds Dafny and its solver on this machine, and says what is missing and how to get it.

``DAFNY`` (environment), then ``PATH``, then where the install script puts one; the solver from
``VERULAW_Z3``, then the toolchains folder, then ``PATH``. The tool is asked for its version once.
``doctor`` and the adapter call :func:`find_dafny`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from verulaw_rl.errors import UserError
from verulaw_rl.verification.dafny.output import Dialect
from verulaw_rl.verification.toolchains import normalised, outside_system, toolchains

INSTALL = "scripts/install_toolchains.sh dafny"
"""The command that gets Dafny."""

_BAD_Z3_FOR_2 = "4.8.12"
"""Debian's: Dafny 2.3 prints ``unknown parameter 'model_compress'`` with it."""


@dataclass(frozen=True, slots=True)
class DafnyTool:
    """An installed Dafny."""

    path: Path
    """What was found: the command on PATH or named by ``DAFNY``."""
    version: str
    """Three numbers: ``2.3.0``."""
    command: tuple[str, ...]
    """Start of the command line."""
    server: tuple[str, ...] | None
    """Command of the warm server of 2.3, where it is there."""
    solver: Path | None
    """Z3 to use; ``None`` leaves 4.x the one it brings along."""
    solver_version: str
    readable: tuple[Path, ...]
    """Folders outside the system ones that it needs."""
    notes: tuple[str, ...] = ()
    """What a person should know, such as an unsuitable solver."""

    @property
    def dialect(self) -> Dialect:
        """Which command line and messages it has."""
        return "2" if self.version.startswith("2.") else "4"


def find_dafny() -> DafnyTool:
    """The Dafny to use, found anew when ``DAFNY``, ``VERULAW_Z3``, ``VERULAW_HOME`` or ``PATH`` change.

    Raises:
        UserError: none is there, it does not run, or its version is not supported.
    """
    return _find(*(os.environ.get(k) for k in ("DAFNY", "VERULAW_Z3", "VERULAW_HOME", "PATH")))


@lru_cache(maxsize=8)
def _find(dafny: str | None, z3: str | None, home: str | None, search: str | None) -> DafnyTool:
    if dafny:
        path = Path(shutil.which(dafny) or dafny)
        if not path.is_file():
            raise UserError(
                f"DAFNY={dafny} names no program: set it to a Dafny 2.3 or 4.x, or unset it and run {INSTALL}"
            )
    else:
        found = shutil.which("dafny") or next(_fetched(), None)
        if found is None:
            raise UserError(f"Dafny is not on PATH and DAFNY is not set: run {INSTALL}, or set DAFNY")
        path = Path(found)
    executable = _executable(path)
    command = (*_runner(executable), str(executable)) if executable else (str(path),)
    printed = _ask(command, legacy_first=executable is not None)
    version = normalised(printed)
    if not version or "unknown switch" in printed:
        raise UserError(
            f"{path} does not say its version (it printed {printed.strip()[:80]!r}): run {INSTALL}, or set DAFNY"
        )
    if not version.startswith(("2.3.", "4.")):
        raise UserError(
            f"{path} is Dafny {version}; supported are 2.3 and 4.x: run {INSTALL}, or set DAFNY to one of them"
        )
    server = executable and executable.with_name("DafnyServer.exe")
    solver, notes = _solver(z3, version)
    return DafnyTool(
        path=path,
        version=version,
        command=command,
        server=(*_runner(server), str(server)) if server and server.is_file() and version.startswith("2.") else None,
        solver=solver,
        solver_version=_solver_version(solver) if solver else "bundled",
        readable=_readable(path, executable, solver),
        notes=notes,
    )


def _fetched() -> Iterator[Path]:
    """Where the install script puts a Dafny that is not on PATH."""
    for path in (*sorted(toolchains().glob("dafny-*/dafny/dafny")), Path.home() / ".dotnet/tools/dafny"):
        if os.access(path, os.X_OK):
            yield path


def _executable(path: Path) -> Path | None:
    """``Dafny.exe`` of 2.3 behind a wrapper script; ``None`` for a program of its own."""
    if path.suffix == ".exe":
        return path.resolve()
    real = path.resolve()
    for candidate in (real.with_name("Dafny.exe"), real.parent.parent / "lib/dafny/Dafny.exe"):
        if candidate.is_file():
            return candidate
    return None


def _runner(executable: Path) -> tuple[str, ...]:
    runner = shutil.which("cli") or shutil.which("mono")
    if runner is None:
        raise UserError(f"{executable} needs mono (mono-runtime), which is not on PATH: run {INSTALL}")
    return (runner,)


def _ask(command: tuple[str, ...], *, legacy_first: bool) -> str:
    """What it prints of its version: 2.3 in the logo line (exit status 1), 4.x for ``--version``."""
    said = ""
    for option in ("/version", "--version") if legacy_first else ("--version", "/version"):
        try:
            done = subprocess.run([*command, option], capture_output=True, text=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired) as e:
            raise UserError(f"{command[-1]} does not run ({e}): run {INSTALL}, or set DAFNY") from None
        said = done.stdout + done.stderr
        if (done.returncode == 0 or re.match(r"Dafny \d+\.\d+", done.stdout)) and normalised(said):
            return said
    return said


def _solver(named: str | None, version: str) -> tuple[Path | None, tuple[str, ...]]:
    if named:
        path = Path(shutil.which(named) or named)
        if not path.is_file():
            raise UserError(f"VERULAW_Z3={named} names no program: set it to a Z3 4.8.5, or unset it and run {INSTALL}")
        return path, ()
    if not version.startswith("2."):
        return None, ()  # brings the solver it was tested with
    fetched = sorted(p for p in toolchains().glob("z3-4.8.5/**/z3") if p.is_file() and os.access(p, os.X_OK))
    if fetched:
        return fetched[0], ()
    found = shutil.which("z3")
    if found is None:
        raise UserError(f"Dafny {version} needs Z3 4.8.5, which was not found: run {INSTALL}, or set VERULAW_Z3")
    note = f"using {found}; Dafny 2.3 wants Z3 4.8.5: run {INSTALL}"
    if _solver_version(Path(found)) == _BAD_Z3_FOR_2:
        note = f"Z3 {_BAD_Z3_FOR_2} makes Dafny 2.3 print \"unknown parameter 'model_compress'\": run {INSTALL}"
    return Path(found), (note,)


@lru_cache(maxsize=8)
def _solver_version(path: Path) -> str:
    try:
        done = subprocess.run([str(path), "--version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise UserError(f"{path} does not run ({e}): run {INSTALL}, or set VERULAW_Z3") from None
    return normalised(done.stdout)


def _readable(path: Path, executable: Path | None, solver: Path | None) -> tuple[Path, ...]:
    """Folders that the sandbox must show: what lies outside the system's own."""
    wanted = [(executable or path.resolve()).parent]
    if executable is None:
        # A dotnet tool starts from ~/.dotnet: launcher in tools/, program in tools/.store, runtime beside.
        root = next((p for p in path.resolve().parents if p.name == ".dotnet"), None)
        wanted += [root] if root else []
    if solver is not None:
        wanted.append(solver.resolve())
        wanted.append(solver)
    return outside_system(*wanted)
