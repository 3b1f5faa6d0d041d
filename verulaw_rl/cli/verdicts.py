"""How ``verify`` and ``diagnose`` print a Verdict."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from verulaw_rl.verification.verdict import Status, ToolIdentity, Verdict


def unread(message: str) -> Verdict:
    """The verdict on a file that could not be read."""
    return Verdict(Status.INVALID, (), False, ToolIdentity("", "", ""), message=message)


def print_verdict(file: Path, verdict: Verdict, *, as_json: bool) -> None:
    """One line of JSON, or the status and a line for each diagnostic."""
    if as_json:
        typer.echo(json.dumps({"file": str(file), **verdict.to_json()}))
        return
    partial = "" if verdict.complete or verdict.status not in (Status.VERIFIED, Status.FAILED) else ", list incomplete"
    typer.echo(f"{file}: {verdict.status}{partial}: {verdict.message}")
    for d in verdict.diagnostics:
        if d.severity == "info":
            continue
        what = d.category or d.severity
        where = f" in {d.declaration}" if d.declaration else ""
        undecided = " (undecided)" if d.undecided else ""
        typer.echo(f"  {d.location.line}:{d.location.column} {what}{where}{undecided}: {d.message}")
        if d.clause:
            typer.echo(f"    {' '.join(d.clause.split())}")
        elif d.related:
            r = d.related[0]
            typer.echo(f"    see {r.location.line}:{r.location.column} {r.message}".rstrip())
