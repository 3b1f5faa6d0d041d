"""``verulaw-rl report``: one HTML page of runs and evaluations, with every episode of them."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from verulaw_rl.errors import UserError
from verulaw_rl.evaluation.metrics import percent, summarise
from verulaw_rl.evaluation.outcome import outcome_of
from verulaw_rl.evaluation.report import verified_difference, warnings_of, write_report
from verulaw_rl.evaluation.run_folder import read_run_folder


def report_command(
    folders: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of training runs or evaluations.")],
    out: Annotated[
        Path | None, typer.Option(help="The page [default: report.html in the folder; needed for several].")
    ] = None,
    allow_different: Annotated[
        bool, typer.Option("--allow-different", help="Show differences although suites or verifiers differ.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what the report says as one JSON object.")] = False,
) -> None:
    """Write one self-contained page and print where it is.

    Tables and curves, the instances of all runs side by side, and every episode turn by turn. A run that is
    unfinished is reported as far as it went.
    """
    if len(folders) > 1 and out is None:
        raise UserError("several runs make one page: say where with --out PAGE.html")
    runs = [read_run_folder(folder) for folder in folders]
    path = write_report(*folders, out=out, allow_different=allow_different)
    said = []
    for run in runs:
        summaries = {n: summarise([outcome_of(r, run.instances) for r in rs]) for n, rs in run.evaluations.items()}
        difference = verified_difference(run)
        said.append(
            {
                "report": str(path),
                "folder": str(run.path),
                "evaluations": {name: summary.to_json() for name, summary in summaries.items()},
                "difference": None if difference is None else asdict(difference),
                "updates": run.updates_done,
                "warnings": warnings_of(run, summaries),
            }
        )
        if not as_json:
            title = f"{run.path.name} " if len(runs) > 1 else ""
            for name, summary in summaries.items():
                typer.echo(f"{title}{name}: verified {percent(summary.get('verified'))}")
            for warning in warnings_of(run, summaries):
                typer.echo(f"{title}warning: {warning}")
    typer.echo(json.dumps(said[0] if len(said) == 1 else {"report": str(path), "runs": said}) if as_json else str(path))
