"""``verulaw-rl score``: evidence and score of one candidate for an instance."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from verulaw_rl.cli.files import read_program
from verulaw_rl.cli.options import SolverSeconds
from verulaw_rl.evidence.collect import collect
from verulaw_rl.evidence.evidence import Evidence, evidence_to_row
from verulaw_rl.evidence.live import pool_verifier
from verulaw_rl.evidence.reward import Score, load_reward
from verulaw_rl.languages.base import Category
from verulaw_rl.suites.bundled import suite_named
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.verdict import Limits


def score_command(
    candidate: Annotated[Path, typer.Argument(help="The whole program handed in.")],
    suite: Annotated[str, typer.Option(help="JSONL file that `build` wrote, `seed` or `seed-LANGUAGE`.")],
    instance: Annotated[str, typer.Option(help="Key of the instance.")],
    reward: Annotated[str, typer.Option(help="Reward file.")] = "rewards/obligation.py",
    solver_s: SolverSeconds = 30.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print evidence and score as one JSON object.")] = False,
) -> None:
    """Score a candidate exactly as training and evaluation do: audit, plain run, instrumented run, reward."""
    chosen = suite_named(suite)
    item = chosen.get(instance)
    text = read_program(candidate)
    scoring = load_reward(reward)
    with Pool(PoolSettings(workers=1)) as pool:
        verify = pool_verifier(pool, item.language, Limits.of_work(solver_s))
        evidence = collect(item, text, verify, verify_rejected=True)
    score = scoring.score(evidence)
    if as_json:
        typer.echo(json.dumps({"evidence": evidence_to_row(evidence), "score": asdict(score)}))
    else:
        _show(evidence, score)


def _show(evidence: Evidence, score: Score) -> None:
    console = Console()
    table = Table("category", "discharged", "of")
    for category in Category:
        if evidence.totals.get(category, 0):
            table.add_row(category.value, str(evidence.discharged(category)), str(evidence.totals[category]))
    console.print(table)
    for result in evidence.results:
        mark = "[green]holds[/]" if result.discharged else f"[red]{result.reason}[/]"
        console.print(f"{result.id}: {mark}", highlight=False)
    for failure in evidence.failures:
        console.print(f"line {failure.line}: [red]{failure.message}[/]", highlight=False)
    for finding in evidence.findings:
        console.print(f"line {finding.line}: [red]{finding.message}[/]; {finding.advice}", highlight=False)
    status = evidence.status.value if evidence.status else "not run"
    console.print(f"plain run: {status}; outcome {score.outcome}; score {score.total}", highlight=False)
