"""``verulaw-rl rescore``: recorded episodes under another reward or other weights, without a verifier."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from verulaw_rl.lab.choice import choose, recorded_scoring
from verulaw_rl.lab.recorded import read_episodes
from verulaw_rl.lab.rescoring import Comparison, compare, rescore_all


def rescore_command(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Run folders, or files of episodes.")],
    reward: Annotated[
        str | None, typer.Option(help="Reward file, with its default weights; the run's own reward if absent.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Set a value, such as weights.invariant=0.6; repeatable."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the comparison as one JSON object.")] = False,
) -> None:
    """Score recorded episodes again, and say how the advantages of their groups change.

    Keys are those of a config's `reward` block: weights.annotation_repair.invariant, weights.proof_escape,
    episode.no_submission. weights.invariant sets that weight in every table that has it. A group is the episodes of
    one instance, policy version and update.

    Example: verulaw-rl rescore runs/quickstart --set weights.invariant=0.6 --set weights.verified_bonus=1
    """
    started = time.perf_counter()
    episodes = read_episodes(runs)
    choice = choose(None if reward else recorded_scoring(episodes), reward, settings or ())
    comparison = compare(episodes, rescore_all(episodes, choice.reward, choice.terms))
    seconds = time.perf_counter() - started
    if as_json:
        named = {"reward": str(choice.reward.path), **choice.values}
        typer.echo(json.dumps({"scored_under": named, "seconds": seconds, **asdict(comparison)}))
    else:
        _show(Console(), comparison)
    typer.echo(
        f"{len(episodes)} episodes read and scored in {seconds:.2f} s, {len(episodes) / seconds:,.0f} a second",
        err=True,
    )


def _show(console: Console, found: Comparison) -> None:
    table = Table("", "recorded", "scored again")
    table.add_row("mean reward", _figure(found.mean_old), _figure(found.mean_new))
    table.add_row("groups without variance", _share(found.zero_variance_old), _share(found.zero_variance_new))
    console.print(table)
    share = len(found.sign_flips) / found.scorable if found.scorable else 0.0
    console.print(
        f"{found.groups} groups of at least two; {found.scorable} of {found.episodes} episodes are scorable\n"
        f"rank correlation with the recorded reward: {_figure(found.rank_correlation)}, "
        f"of advantages: {_figure(found.advantage_rank_correlation)}\n"
        f"advantage changes its sign: {len(found.sign_flips)} episodes ({share:.1%})",
        highlight=False,
    )
    if not found.most_changed:
        console.print("no advantage changes", highlight=False)
        return
    console.print("most changed advantages:", highlight=False)
    for one in found.most_changed:
        console.print(
            f"  {one.old_advantage:+.2f} → {one.new_advantage:+.2f}, reward {_figure(one.old_reward)} → "
            f"{_figure(one.new_reward)}: {one.place} ({one.instance})",
            highlight=False,
            soft_wrap=True,
        )


def _figure(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"


def _share(value: float | None) -> str:
    return "none" if value is None else f"{value:.1%}"
