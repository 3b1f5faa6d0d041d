"""``verulaw-rl sensitivity``: each weight and penalty swept over recorded episodes, with plots."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Column, Table

from verulaw_rl.cli.progress import progress_bar
from verulaw_rl.lab.choice import choose, recorded_scoring
from verulaw_rl.lab.recorded import folder_of, read_episodes
from verulaw_rl.lab.sensitivity import Sweep, sensitivity, write_sensitivity


def sensitivity_command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run folder, or file of episodes.")],
    reward: Annotated[
        str | None, typer.Option(help="Reward file, with its default weights; the run's own reward if absent.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Set a value from which the sweeps start; repeatable."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The page; sensitivity.html in the run's folder if absent.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the sweeps as one JSON object.")] = False,
) -> None:
    """Sweep each weight, penalty and switch alone and say what it does to the advantages of recorded episodes.

    Numbers are tried at 0, 1/4, 1/2, 1, 1.5, 2 and 4 times their value (at -1 to 1 where they are 0). Writes a page
    with a plot for each value that matters.
    """
    episodes = read_episodes([run])
    base = choose(None if reward else recorded_scoring(episodes), reward, settings or ())
    with progress_bar("values swept", quiet=as_json) as progress:
        sweeps = sensitivity(episodes, base, progress)
    page = out or folder_of(run) / "sensitivity.html"
    scored = f"{len(episodes)} episodes of {run}, scored by {base.reward.path.name}"
    write_sensitivity(page, run.resolve().name, sweeps, scored)
    if as_json:
        typer.echo(json.dumps({"page": str(page), "sweeps": [asdict(s) | {"matters": s.matters} for s in sweeps]}))
        return
    _show(Console(), sweeps)
    typer.echo(str(page))


def _show(console: Console, sweeps: tuple[Sweep, ...]) -> None:
    table = Table(
        Column("value", no_wrap=True), "run", "tried", "lowest correlation", "most flips", "groups without variance"
    )
    for sweep in sweeps:
        tried = sorted(p.value for p in sweep.points)
        flat = [p.zero_variance for p in sweep.points if p.zero_variance is not None]
        table.add_row(
            sweep.key.removeprefix("weights."),
            f"{sweep.base:g}",
            f"{tried[0]:g} to {tried[-1]:g}" if tried else "none",
            f"{min((p.rank_correlation for p in sweep.points if p.rank_correlation is not None), default=1.0):.3f}",
            f"{max((p.sign_flips for p in sweep.points), default=0.0):.1%}",
            f"{min(flat):.0%} to {max(flat):.0%}" if flat else "none",
            style="" if sweep.matters else "dim",
        )
    console.print(table)
