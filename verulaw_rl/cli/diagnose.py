"""``verulaw-rl diagnose``: read what a verifier printed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from verulaw_rl.cli.files import read_program
from verulaw_rl.cli.verdicts import print_verdict, unread
from verulaw_rl.errors import UserError
from verulaw_rl.verification.registry import get_reader


def diagnose_command(
    files: Annotated[list[Path], typer.Argument(help="Text files with what the tool printed.")],
    tool: Annotated[
        str,
        typer.Option(help="Which tool printed it: dafny (2.3 to 4.x, command line or server), nagini, verus."),
    ],
    program: Annotated[Path | None, typer.Option(help="The program that one FILE is about, to name clauses.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per file, one a line.")] = False,
) -> None:
    """Read a verifier's recorded output: status, and each message with its category and place.

    Needs no installed tool. Exits with 0 if every file was read, whatever it says; 1 if one could not be; 2 on misuse.
    """
    reader = get_reader(tool)
    if program is not None and len(files) != 1:
        raise UserError("--program goes with exactly one FILE")
    source = read_program(program) if program is not None else None
    all_read = True
    for file in files:
        try:
            verdict = reader(read_program(file), source)
        except UserError as error:
            verdict, all_read = unread(str(error)), False
        print_verdict(file, verdict, as_json=as_json)
    raise typer.Exit(0 if all_read else 1)
