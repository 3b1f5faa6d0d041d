"""``verulaw-rl compare``: evaluations of the same instances against the first of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from verulaw_rl.errors import UserError
from verulaw_rl.evaluation.compare import Comparison, compare, difference_words, differences, trend_words
from verulaw_rl.evaluation.metrics import number, percent
from verulaw_rl.evaluation.run_folder import read_checkpoints, read_evaluation

SHOWN = 12
"""Instances of a kind that are named; ``--json`` names all."""


def compare_command(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...",
            help="Folders; of a training run, RUN:before, RUN:update-20, RUN:after. One training run alone stands for "
            "all its evaluations.",
        ),
    ],
    at: Annotated[
        list[float] | None,
        typer.Option(help="Position of each run for the trend, such as its update; repeat. 0, 1, 2, ... when absent."),
    ] = None,
    allow_different: Annotated[
        bool, typer.Option("--allow-different", help="Compare although suites or verifiers differ, and say so.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as one JSON object.")] = False,
) -> None:
    """Hold evaluations of the same instances against the first: paired differences, and the trend of three or more.

    Intervals are 95 %. A rate's p is the exact McNemar test; a trend's is Mantel's, each instance a stratum. What was
    played on other instances, or judged by another verifier, is refused.
    """
    if at is not None and len(at) != len(runs):
        raise UserError(f"--at names {len(at)} positions for {len(runs)} runs; name one for each")
    if len(runs) == 1:
        checkpoints = read_checkpoints(Path(runs[0]))
        evaluations, at = [e for _, e in checkpoints], [float(update) for update, _ in checkpoints]
    else:
        evaluations = [read_evaluation(run) for run in runs]
    if len(evaluations) < 2:
        raise UserError("name two runs or more, or a training run with evaluations before and after")
    warnings = differences(evaluations)
    if warnings and not allow_different:
        raise UserError(f"{'; '.join(warnings)}; figures across them mislead; --allow-different compares all the same")
    result = compare(evaluations, at)
    if not result.instances:
        raise UserError("these runs have no instance in common")
    if as_json:
        typer.echo(json.dumps({**result.to_json(), "warnings": warnings}))
        return
    console = Console()
    console.print(_table(result))
    for kind in ("improved", "regressed"):
        keys: tuple[str, ...] = getattr(result, kind)
        more = f", and {len(keys) - SHOWN} more" if len(keys) > SHOWN else ""
        console.print(f"{kind}, first to last: {len(keys)}. {', '.join(keys[:SHOWN])}{more}", highlight=False)
    for warning in warnings:
        console.print(f"[yellow]{warning}[/]", highlight=False)


def _table(result: Comparison) -> Table:
    table = Table(
        title=f"{result.instances} instances in common", caption="p: exact McNemar; trend: Mantel, stratified"
    )
    table.add_column("")
    for name in result.names:
        table.add_column(name, justify="right")
    for name in result.names[1:]:
        table.add_column(f"{name} minus {result.names[0]}" if len(result.names) > 2 else "difference", justify="right")
    if len(result.names) > 2:
        table.add_column("trend per step", justify="right")
    for figure in result.figures:
        word = percent if figure.is_rate else number
        cells = [word(value) for value in figure.values]
        cells += [difference_words(d, figure.is_rate) for d in figure.differences]
        if figure.trend is not None:
            cells.append(trend_words(figure))
        table.add_row(figure.label, *cells)
    return table
