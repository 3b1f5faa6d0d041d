"""``verulaw-rl leaks``: programs of one suite that another holds too."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from verulaw_rl.errors import UserError
from verulaw_rl.suites.bundled import suite_named
from verulaw_rl.suites.instance import Instance
from verulaw_rl.suites.leaks import leaks_between

EXIT_LEAKS = 1
SHOWN = 20


def leaks_command(
    first: Annotated[str, typer.Argument(help="Suite file or `seed`; with a split, FILE:train.")],
    second: Annotated[str, typer.Argument(help="The suite to hold against it; with a split, FILE:heldout.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print every pair as one JSON object.")] = False,
) -> None:
    """Find programs of the second suite that the first holds too, under whatever names; exit 1 if there are any.

    Same: equal but for names, numbers and comments. Near: at least 0.8 of what they are made of is common. Contained:
    one is a part of the other.
    """
    sides = [_instances(named) for named in (first, second)]
    leaks = leaks_between(*sides)
    programs = [len({(i.suite, i.program) for i in side}) for side in sides]
    leaked = {leak.second for leak in leaks}
    if as_json:
        found = [asdict(leak) for leak in leaks]
        typer.echo(json.dumps({"first": programs[0], "second": programs[1], "leaked": len(leaked), "pairs": found}))
    else:
        for leak in leaks[:SHOWN]:
            typer.echo(f"{leak.kind} {leak.similarity:.2f}: {leak.second} is in {leak.first}")
        if len(leaks) > SHOWN:
            typer.echo(f"... and {len(leaks) - SHOWN} more pairs; --json names all")
        typer.echo(f"{len(leaked)} of {programs[1]} programs of {second} are in {first} ({programs[0]} programs)")
    if leaks:
        raise typer.Exit(EXIT_LEAKS)


def _instances(named: str) -> tuple[Instance, ...]:
    path, colon, split = named.rpartition(":")
    if not colon or Path(named).exists():
        return suite_named(named).instances
    suite = suite_named(path)
    chosen = suite.split(split)
    if not chosen:
        splits = ", ".join(sorted({i.split for i in suite.instances}))
        raise UserError(f"suite {suite.name!r} has no split {split!r}; its splits: {splits}")
    return chosen
