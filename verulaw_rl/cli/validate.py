"""``verulaw-rl validate``: score reference, null and given over a whole suite, without a model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from verulaw_rl.cli.options import SolverSeconds
from verulaw_rl.cli.progress import progress_bar
from verulaw_rl.evidence.ablation import Verifier
from verulaw_rl.evidence.collect import collect
from verulaw_rl.evidence.live import pool_verifier
from verulaw_rl.evidence.reward import Reward, load_reward
from verulaw_rl.evidence.weakness import weakness_of
from verulaw_rl.suites.bundled import suite_named
from verulaw_rl.suites.instance import Instance
from verulaw_rl.suites.unverified import NOTICE
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.verdict import Limits


@dataclass(frozen=True, slots=True)
class Validation:
    """Scores of the three model-free candidates of one instance; ``problem`` is empty when they are as they must be."""

    key: str
    reference: float | None
    given: float | None
    null: float | None
    problem: str
    trivial: bool
    """Whether a trivial program verifies: such an instance teaches nothing."""
    weak: tuple[str, ...]
    """Declarations that a trivial body satisfies."""


def validate_command(
    suite: Annotated[str, typer.Argument(help="JSONL file that `build` wrote, `seed` or `seed-LANGUAGE`.")],
    reward: Annotated[str, typer.Option(help="Reward file.")] = "rewards/obligation.py",
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many instances.")] = None,
    solver_s: SolverSeconds = 30.0,
    workers: Annotated[int | None, typer.Option(min=1, help="Verifier workers; cores when absent.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per instance and a summary.")] = False,
) -> None:
    """Check a suite without a model: the reference must verify with the top score, given and null must not verify.

    `null` is an empty program. Exits with 1 if any instance is not as it must be. Code-generation instances that
    trivial bodies satisfy (default values, the input unchanged, nothing) are flagged as weak; that is no failure.
    """
    chosen = suite_named(suite)
    instances = chosen.instances[:limit]
    scoring = load_reward(reward)
    bad = trivial = weak = 0
    console = Console()
    if any(i.unverified for i in instances):
        typer.echo(f"{chosen.name} is {NOTICE}", err=True)
    with Pool(PoolSettings(workers=workers or 0)) as pool, progress_bar("Validating", quiet=as_json) as progress:
        for done, row in enumerate(_validate(instances, scoring, pool, Limits.of_work(solver_s)), start=1):
            bad += bool(row.problem)
            if as_json:
                typer.echo(json.dumps(asdict(row)))
            else:
                _say(console, row)
            trivial += row.trivial
            weak += bool(row.weak)
            progress(done, len(instances))
    summary = {"suite": chosen.name, "instances": len(instances), "problems": bad, "trivial": trivial, "weak": weak}
    if as_json:
        typer.echo(json.dumps(summary))
    else:
        table = Table("suite", "instances", "problems", "a trivial program verifies", "has a weak declaration")
        table.add_row(chosen.name, str(len(instances)), str(bad), str(trivial), str(weak))
        console.print(table)
    raise typer.Exit(1 if bad else 0)


def _say(console: Console, row: Validation) -> None:
    if row.problem:
        console.print(f"{row.key}: {row.problem}", highlight=False)
    if row.trivial:
        console.print(f"{row.key}: weak: a trivial program verifies", highlight=False)
    elif row.weak:
        console.print(f"{row.key}: weak: a trivial body satisfies {', '.join(row.weak)}", highlight=False)


def _validate(instances: tuple[Instance, ...], reward: Reward, pool: Pool, limits: Limits) -> Iterator[Validation]:
    with ThreadPoolExecutor(4) as threads:
        yield from threads.map(lambda i: _validate_one(i, reward, pool_verifier(pool, i.language, limits)), instances)


def _validate_one(instance: Instance, reward: Reward, verify: Verifier) -> Validation:
    reference = collect(instance, instance.reference, verify)
    given = collect(instance, instance.given, verify)
    null = collect(instance, "", verify)
    scores = [reward.score(e).total for e in (reference, given, null)]
    problem = ""
    if not (reference.intact and reference.verified):
        problem = f"the reference does not verify: {reference.summary}"
    elif missing := [r.id for r in reference.results if not r.discharged]:
        problem = f"the reference misses {missing[0]}"
    elif given.verified and given.intact:
        problem = "the given verifies as it is"
    elif null.verified and null.intact:
        problem = "an empty program verifies"
    weakness = weakness_of(instance, verify)
    trivial = weakness.verified is not None
    return Validation(instance.key, scores[0], scores[1], scores[2], problem, trivial, weakness.declarations)
