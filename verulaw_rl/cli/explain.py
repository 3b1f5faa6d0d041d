"""``verulaw-rl explain``: why a recorded or a fresh candidate scored what it scored."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from verulaw_rl.cli.files import read_program
from verulaw_rl.cli.options import SolverSeconds
from verulaw_rl.episodes.record import EpisodeRecord, rescore
from verulaw_rl.errors import UserError
from verulaw_rl.evaluation.outcome import best_submission
from verulaw_rl.evidence.collect import collect
from verulaw_rl.evidence.live import pool_verifier
from verulaw_rl.lab.choice import choose
from verulaw_rl.lab.diff import DiffLine
from verulaw_rl.lab.explain import Checked, Explanation, episode_arithmetic, explain
from verulaw_rl.lab.recorded import Scoring, episode_files, read_record
from verulaw_rl.suites.bundled import suite_named
from verulaw_rl.suites.instance import Instance
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.verdict import Limits

PLACE = re.compile(r"(?P<file>.+\.jsonl):(?P<row>[0-9]+)")
DIFF_STYLES = {"add": ("+", "green"), "del": ("-", "red"), "same": (" ", "")}


def explain_command(
    target: Annotated[
        str,
        typer.Argument(
            metavar="RECORD|PROGRAM",
            help="A recorded episode as FILE.jsonl:ROW, a run folder with --episode, or the file of a candidate.",
        ),
    ],
    episode: Annotated[int | None, typer.Option(help="Row of the run's episodes, from 1.")] = None,
    turn: Annotated[
        int | None, typer.Option(help="Turn of the episode, from 1; its best submission if absent.")
    ] = None,
    suite: Annotated[
        str | None, typer.Option(help="Suite file, or `seed`; for a record, suite.jsonl beside it if absent.")
    ] = None,
    instance: Annotated[str | None, typer.Option(help="Key of the instance that a program is for.")] = None,
    reward: Annotated[
        str | None, typer.Option(help="Reward file; the record's own, or rewards/obligation.py, if absent.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Set a value, such as weights.invariant=0.6; repeatable."),
    ] = None,
    solver_s: SolverSeconds = 30.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the explanation as one JSON object.")] = False,
) -> None:
    """Say why a candidate scores what it scores.

    Each obligation and each hidden probe, held or not and by which message; each finding of the audit at its place in
    the diff against the given; and the arithmetic. A record needs no verifier; a program is audited and verified as
    `score` does it.

    Examples: verulaw-rl explain runs/quickstart/episodes.jsonl:12, and
    verulaw-rl explain mine.dfy --suite seed --instance KEY
    """
    place = _place(target, episode)
    if place is not None:
        found = _of_record(*place, turn, suite, reward, settings or ())
    elif turn is not None or suite is None or instance is None:
        raise UserError(f"{target} is taken for a program: it needs --suite and --instance, and has no turns")
    else:
        found = _of_program(Path(target), suite, instance, reward, settings or (), Limits.of_work(solver_s))
    if as_json:
        plain = {} if found.explanation is None else asdict(found.explanation)
        typer.echo(json.dumps({"source": found.source, **plain, "episode": found.episode}))
    else:
        _show(Console(highlight=False), found)


@dataclass(frozen=True, slots=True)
class _Found:
    source: str
    explanation: Explanation | None
    """``None`` for an episode without a submission."""
    episode: tuple[str, ...] = ()
    """The arithmetic of the whole episode."""


def _place(target: str, episode: int | None) -> tuple[Path, int] | None:
    """File and row of a recorded episode; ``None`` for a program."""
    if (match := PLACE.fullmatch(target)) and not Path(target).exists():
        return Path(match["file"]), int(match["row"])
    path = Path(target)
    if not path.is_dir() and path.suffix != ".jsonl":
        return None
    if episode is None:
        raise UserError(f"which episode of {target}? Add --episode ROW")
    return episode_files([path])[0], episode


def _of_record(
    file: Path, row: int, turn: int | None, suite: str | None, reward: str | None, settings: Sequence[str]
) -> _Found:
    record = read_record(file, row)
    choice = choose(Scoring(record.reward_name, record.reward_weights, record.terms.model_dump()), reward, settings)
    record = rescore(record, choice.reward, choice.terms)
    episode = episode_arithmetic(record, choice.terms)
    number = _chosen_turn(record, turn, f"{file}:{row}")
    if number is None:
        return _Found(f"{file}:{row}: nothing was submitted", None, episode)
    chosen = record.turns[number - 1]
    if chosen.evidence is None:
        raise UserError(f"{file}:{row}: turn {number} was not verified, so there is nothing to explain")
    explanation = explain(chosen.evidence, choice.reward, chosen.program, _instance(record, file, suite))
    return _Found(f"{file}:{row}, turn {number} of {len(record.turns)}", explanation, episode)


def _chosen_turn(record: EpisodeRecord, turn: int | None, place: str) -> int | None:
    """Number of the turn to explain; ``None`` where none is named and nothing was submitted."""
    if turn is None:
        best = best_submission(record)
        return None if best is None else record.turns.index(best) + 1
    if not 1 <= turn <= len(record.turns):
        raise UserError(f"{place} has {len(record.turns)} turns, not a turn {turn}")
    return turn


def _instance(record: EpisodeRecord, file: Path, suite: str | None) -> Instance | None:
    """The record's instance where its suite is at hand and still holds it as it was."""
    beside = file.parent / "suite.jsonl"
    if suite is None and not beside.is_file():
        return None
    instances = suite_named(suite or str(beside)).instances
    return next((i for i in instances if i.content_hash == record.instance_hash), None)


def _of_program(
    program: Path, suite: str, instance: str, reward: str | None, settings: Sequence[str], limits: Limits
) -> _Found:
    item = suite_named(suite).get(instance)
    text = read_program(program)
    choice = choose(None, reward, settings)
    with Pool(PoolSettings(workers=1)) as pool:
        evidence = collect(item, text, pool_verifier(pool, item.language, limits), verify_rejected=True)
    return _Found(str(program), explain(evidence, choice.reward, text, item))


def _show(console: Console, found: _Found) -> None:
    console.print(Text(found.source, "bold"), soft_wrap=True)
    if found.explanation is not None:
        _show_explanation(console, found.explanation)
    if found.episode:
        _heading(console, "Episode")
    for line in found.episode:
        console.print(Text(line))


def _show_explanation(console: Console, seen: Explanation) -> None:
    style = "green" if seen.verified and not seen.findings else "red"
    console.print(
        Text.assemble(seen.instance, ": ", (seen.score.outcome, style), f", plain run {seen.status or 'none'}")
    )
    if seen.findings:
        _heading(console, "Findings of the audit")
    for finding in seen.findings:
        where = f"line {finding.line}{' of the given' if finding.in_given else ''}"
        console.print(Text.assemble((f"{finding.kind}, {where}", "bold red"), ": ", finding.message))
        console.print(Text(f"    {finding.advice}", "dim"))
        for line in finding.diff:
            here = finding.line == (line.given if finding.in_given else line.candidate)
            console.print(_diff_line(line, here), soft_wrap=True)
    for title, checked in (("Obligations", seen.obligations), ("Hidden probes", seen.probes)):
        if checked:
            _heading(console, title)
        for one in checked:
            _show_checked(console, one)
    if seen.failures or seen.missing:
        _heading(console, "Failures of the candidate's own, which count against their category")
    for failure in seen.failures:
        console.print(Text.assemble((f"{failure.category.value}, line {failure.line}", "red"), f": {failure.message}"))
    for name in seen.missing:
        console.print(Text(f"{name} was not checked by the tool", "red"))
    _heading(console, "Arithmetic")
    if seen.terms:
        table = Table("category", "N", "open", "own failures", "discharged", "weight", "part of r")
        for t in seen.terms:
            counts = (t.total, t.open, t.own_failures, t.discharged)
            table.add_row(t.category, *map(str, counts), f"{t.weight:g}", f"{t.part:.4f}")
        console.print(table)
    for text in seen.arithmetic:
        console.print(Text(text), soft_wrap=True)


def _show_checked(console: Console, one: Checked) -> None:
    mark = ("holds ", "green") if one.discharged else ("open  ", "red")
    about = f"  {' '.join(one.about.split())}" if one.about else ""
    console.print(Text.assemble(mark, (one.id, "bold"), about), soft_wrap=True)
    if not one.discharged:
        console.print(Text(f"        {one.reason}", "red"), soft_wrap=True)
    for said in one.diagnostics:
        console.print(Text(f"        {said}", "yellow"), soft_wrap=True)


def _diff_line(line: DiffLine, here: bool) -> Text:
    sign, style = DIFF_STYLES[line.kind]
    numbers = f"{line.given or '':>5} {line.candidate or '':>5}"
    return Text.assemble(("  ▶ " if here else "    "), (numbers, "dim"), " ", (f"{sign} {line.text}", style))


def _heading(console: Console, title: str) -> None:
    console.print()
    console.print(Text(title, "bold cyan"))
