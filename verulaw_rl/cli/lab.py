"""``verulaw-rl lab``: a page with a slider for every weight, over recorded episodes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from verulaw_rl.lab.choice import choose, recorded_scoring
from verulaw_rl.lab.page import EPISODES_SHOWN, write_page
from verulaw_rl.lab.recorded import folder_of, read_episodes
from verulaw_rl.suites.instance import load_suite


def lab_command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run folder, or file of episodes.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Where a slider stands at first; repeatable."),
    ] = None,
    suite: Annotated[
        Path | None, typer.Option(help="Suite of the episodes, for diffs; suite.jsonl beside them if absent.")
    ] = None,
    episodes: Annotated[
        int, typer.Option(min=1, help="Episodes in the page at most: the latest whole groups.")
    ] = EPISODES_SHOWN,
    out: Annotated[Path | None, typer.Option(help="The page; lab.html in the run's folder if absent.")] = None,
) -> None:
    """Write one HTML page that scores recorded episodes again as its sliders move.

    It needs no network and can be sent to others. The page ranks the episodes, shows each one's turns, diffs and
    messages, and gives the weights as YAML for a config. It knows the arithmetic of rewards/obligation.py alone;
    `rescore` takes any reward.
    """
    recorded = read_episodes([run])
    choice = choose(recorded_scoring(recorded), None, settings or ())
    beside = suite or folder_of(run) / "suite.jsonl"
    instances = {i.content_hash: i for i in load_suite(beside).instances} if suite or beside.is_file() else {}
    page = out or folder_of(run) / "lab.html"
    shown = write_page(page, run.resolve().name, recorded, choice, instances, episodes)
    if shown < len(recorded):
        typer.echo(f"the page holds the latest {shown} of {len(recorded)} episodes; see --episodes", err=True)
    typer.echo(str(page))
