"""``verulaw-rl verify``: verify programs with the installed tool."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from verulaw_rl.cli.files import read_program
from verulaw_rl.cli.options import SolverSeconds
from verulaw_rl.cli.verdicts import print_verdict, unread
from verulaw_rl.errors import UserError
from verulaw_rl.languages.registry import get_language, language_names
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.verdict import Limits, Status, Verdict, VerifyRequest


def verify_command(
    files: Annotated[list[Path], typer.Argument(help="Programs; the language goes by the suffix (.dfy, .py, .rs).")],
    language: Annotated[str | None, typer.Option(help="Language of all files, whatever their suffix.")] = None,
    solver_s: SolverSeconds = 30.0,
    wall_s: Annotated[
        float | None,
        typer.Option(min=1, help="Wall-clock limit per program, seconds [default: 180, or four times --solver-s]."),
    ] = None,
    error_limit: Annotated[int, typer.Option(min=1, help="Errors reported per declaration.")] = 200,
    workers: Annotated[int, typer.Option(min=0, help="Programs at once; 0 for the number of cores.")] = 0,
    sandbox: Annotated[
        Literal["auto", "bwrap", "none"], typer.Option(help="auto: bubblewrap where it works; none: no sandbox.")
    ] = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per file, one a line.")] = False,
) -> None:
    """Verify programs.

    Prints for each file whether it is verified, failed, invalid (not readable, parse, resolution or type error, or
    nothing to verify), timeout or error, and what failed where: lines from 1, columns as the tool counts (Dafny: from
    0). Exits with 0 if all are verified, 1 otherwise, 2 on misuse.
    """
    limits = replace(Limits.of_work(solver_s, wall_s), error_limit=error_limit)
    all_verified = True
    with Pool(PoolSettings(workers=workers, sandbox=sandbox)) as pool:
        waiting = [(file, _start(pool, file, language, limits)) for file in files]
        for file, verdict in waiting:
            done = verdict.result() if isinstance(verdict, Future) else verdict
            print_verdict(file, done, as_json=as_json)
            all_verified = all_verified and done.status is Status.VERIFIED
    raise typer.Exit(0 if all_verified else 1)


def _start(pool: Pool, file: Path, language: str | None, limits: Limits) -> Future[Verdict] | Verdict:
    try:
        name = language or _language_of(file)
        program = read_program(file)
    except UserError as error:
        return unread(str(error))
    return pool.submit(VerifyRequest(name, program, limits))


def _language_of(file: Path) -> str:
    for name in language_names():
        if file.suffix == get_language(name).suffix:
            return name
    known = ", ".join(get_language(n).suffix for n in language_names())
    raise UserError(f"{file}: no language has the suffix {file.suffix!r} (known: {known}); name it by --language")
