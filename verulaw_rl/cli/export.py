"""``verulaw-rl export``: evaluations as tables for other programs, or as logs for Inspect's viewer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from verulaw_rl.errors import UserError
from verulaw_rl.evaluation.export import episode_rows, to_csv, to_latex, to_markdown, write_parquet
from verulaw_rl.evaluation.run_folder import read_evaluation


def export_command(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUN...", help="Folders; of a training run, RUN:before, RUN:update-20, RUN:after."),
    ],
    to: Annotated[
        Literal["csv", "parquet", "latex", "markdown", "inspect"],
        typer.Option(
            help="csv and parquet: a row per episode; latex and markdown: the figures; inspect: a log for its viewer."
        ),
    ],
    out: Annotated[Path, typer.Option(help="File to write; for inspect, one that ends in .eval or .json.")],
) -> None:
    """Write evaluations for other programs."""
    evaluations = [read_evaluation(run) for run in runs]
    if not out.parent.is_dir():
        raise UserError(f"no folder {out.parent}")
    written = [out]
    if to in ("latex", "markdown"):
        out.write_text((to_latex if to == "latex" else to_markdown)(evaluations), encoding="utf-8")
    elif to == "csv":
        out.write_text(to_csv(episode_rows(evaluations)), encoding="utf-8")
    elif to == "parquet":
        write_parquet(episode_rows(evaluations), out)
    else:
        if out.suffix not in (".eval", ".json"):
            raise UserError(f"{out}: Inspect's logs end in .eval or .json")
        from verulaw_rl.evaluation.inspect_log import write_inspect_logs

        written = write_inspect_logs(evaluations, out)
    for path in written:
        typer.echo(str(path))
