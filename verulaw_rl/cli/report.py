"""``verulaw-rl report``: write the HTML report of a run or evaluation folder."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from verulaw_rl.evaluation.metrics import percent, summarise
from verulaw_rl.evaluation.outcome import outcome_of
from verulaw_rl.evaluation.report import verified_difference, warnings_of, write_report
from verulaw_rl.evaluation.run_folder import read_run_folder


def report_command(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a training run or of an evaluation.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print what the report says as one JSON object.")] = False,
) -> None:
    """Write report.html into the folder and print where it is.

    A run that is unfinished is reported as far as it went.
    """
    run = read_run_folder(folder)
    path = write_report(folder)
    summaries = {name: summarise([outcome_of(r, run.instances) for r in rs]) for name, rs in run.evaluations.items()}
    warnings = warnings_of(run, summaries)
    if as_json:
        difference = verified_difference(run)
        typer.echo(
            json.dumps(
                {
                    "report": str(path),
                    "evaluations": {name: summary.to_json() for name, summary in summaries.items()},
                    "difference": None if difference is None else asdict(difference),
                    "updates": run.updates_done,
                    "warnings": warnings,
                }
            )
        )
        return
    for name, summary in summaries.items():
        typer.echo(f"{name}: verified {percent(summary.get('verified'))}")
    for warning in warnings:
        typer.echo(f"warning: {warning}")
    typer.echo(str(path))
