"""``verulaw-rl cache``: what the verdict cache of this machine holds, and emptying it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from verulaw_rl.verification.disk_cache import FILE, cache_stats, clear_cache, default_path


def cache_command(
    action: Annotated[Literal["stats", "clear"], typer.Argument(help="stats: what it holds; clear: remove all of it.")],
    path: Annotated[
        Path | None, typer.Option(help="Folder of the cache, as in verification.cache.path; the default one if absent.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show or clear the verdicts kept on this machine.

    Runs may go on meanwhile. Clearing costs only time: what is asked again is verified again.
    """
    file = path.expanduser() / FILE if path is not None else default_path()
    if action == "clear":
        removed = clear_cache(file)
        typer.echo(json.dumps({"path": str(file), "removed": removed}) if as_json else f"{file}: {removed} removed")
        return
    stats = cache_stats(file)
    if as_json:
        typer.echo(json.dumps(asdict(stats)))
    else:
        typer.echo(f"{stats.path}: {stats.entries} verdicts, {stats.bytes / 2**20:.1f} MB")
