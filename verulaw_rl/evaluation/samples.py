"""Episodes that a report shows: which ones, and what of each. Pure; the report calls it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from verulaw_rl.episodes.record import EpisodeRecord, Turn
from verulaw_rl.suites.instance import Instance

Kind = Literal["add", "del", "same"]
Tone = Literal["good", "bad", ""]

MESSAGES_SHOWN = 8
LINES_SHOWN = 30
"""Of a turn that is no submission."""
FAILING_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Side:
    """One column of a shown episode: a program as a diff against the given, and what was said of it."""

    title: str
    lines: tuple[tuple[Kind, str], ...]
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """One shown episode."""

    why: str
    tone: Tone
    instance: str
    score: str
    sides: tuple[Side, ...]


def compared_samples(
    before: Sequence[EpisodeRecord], after: Sequence[EpisodeRecord], instances: Mapping[str, Instance]
) -> list[Sample]:
    """The first improved, the first regressed, some still failing and the first rejected, before beside after."""
    first = {r.instance: r for r in reversed(before)}
    pairs = [(first[r.instance], r) for r in {r.instance: r for r in reversed(after)}.values() if r.instance in first]
    pairs.sort(key=lambda pair: pair[0].instance)
    failing = [pair for pair in pairs if not pair[0].verified and not pair[1].verified]
    rejected = [pair for pair in failing if _rejected(pair[1])][:1]
    improved = [pair for pair in pairs if not pair[0].verified and pair[1].verified][:1]
    regressed = [pair for pair in pairs if pair[0].verified and not pair[1].verified][:1]
    still = [pair for pair in failing if pair not in rejected][:FAILING_SHOWN]
    groups: list[tuple[str, Tone, list[tuple[EpisodeRecord, EpisodeRecord]]]] = [
        ("improved", "good", improved),
        ("regressed", "bad", regressed),
        ("rejected by the audit", "bad", rejected),
        ("still failing", "", still),
    ]
    return [
        Sample(
            why,
            tone,
            old.instance,
            f"{_score(old)} → {_score(new)}",
            (_side("Before", old, instances.get(old.instance)), _side("After", new, instances.get(new.instance))),
        )
        for why, tone, members in groups
        for old, new in members
    ]


def single_samples(records: Sequence[EpisodeRecord], instances: Mapping[str, Instance]) -> list[Sample]:
    """The first verified, the first rejected, and some failing, each beside its given."""
    failing = [r for r in records if not r.verified]
    rejected = [r for r in failing if _rejected(r)][:1]
    groups: list[tuple[str, Tone, list[EpisodeRecord]]] = [
        ("verified", "good", [r for r in records if r.verified][:1]),
        ("rejected by the audit", "bad", rejected),
        ("failing", "", [r for r in failing if r not in rejected][:FAILING_SHOWN]),
    ]
    return [
        Sample(why, tone, record.instance, _score(record), _given_and_best(record, instances.get(record.instance)))
        for why, tone, members in groups
        for record in members
    ]


def best_submission(record: EpisodeRecord) -> Turn | None:
    """The submission with the highest score, the earliest of equals; ``None`` if nothing was submitted."""
    submissions = [turn for turn in record.turns if turn.action == "submit"]

    def total(turn: Turn) -> float:
        score = turn.best_score
        return float("-inf") if score is None or score.total is None else score.total

    return max(submissions, key=total, default=None)


def diff_lines(given: str, program: str) -> tuple[tuple[Kind, str], ...]:
    """The whole program with what was added and removed against the given, line by line."""
    kinds: dict[str, Kind] = {"+": "add", "-": "del", " ": "same"}
    everything = max(len(given), len(program), 1)
    found = list(difflib.unified_diff(given.splitlines(), program.splitlines(), n=everything, lineterm=""))
    if not found:
        return tuple(("same", f"  {line}") for line in given.splitlines())
    headers = 3
    return tuple((kinds[line[0]], f"{line[0]} {line[1:]}") for line in found[headers:])


def _given_and_best(record: EpisodeRecord, instance: Instance | None) -> tuple[Side, ...]:
    best = _side("Best submission", record, instance)
    if instance is None:
        return (best,)
    return (Side("Given", tuple(("same", line) for line in instance.given.splitlines())), best)


def _side(title: str, record: EpisodeRecord, instance: Instance | None) -> Side:
    turn = best_submission(record)
    if turn is None:
        wrote = [line for line in (record.turns[-1].text if record.turns else "").splitlines() if line.strip()]
        lines: list[tuple[Kind, str]] = [("same", line) for line in wrote[:LINES_SHOWN]]
        if len(wrote) > LINES_SHOWN:
            lines.append(("same", f"… and {len(wrote) - LINES_SHOWN} more lines"))
        return Side(title, tuple(lines), ("nothing was submitted; this is the last turn",))
    program = turn.program or ""
    given = instance.given if instance else program
    return Side(title, diff_lines(given, program), _messages(turn))


def _messages(turn: Turn) -> tuple[str, ...]:
    evidence = turn.evidence
    if evidence is None:
        return ()
    said = [f"line {finding.line}: {finding.message}" for finding in evidence.findings]
    said += [f"line {message.line}: {message.message}" for message in evidence.messages if message.severity == "error"]
    if not said:
        said = [evidence.summary or (evidence.status.value if evidence.status else "not verified")]
    if evidence.probes_total:
        said.append(f"{evidence.probes_passed} of {evidence.probes_total} hidden probes hold")
    more = len(said) - MESSAGES_SHOWN
    return tuple(said[:MESSAGES_SHOWN]) + ((f"and {more} more",) if more > 0 else ())


def _rejected(record: EpisodeRecord) -> bool:
    return any(t.action == "submit" and t.evidence is not None and not t.evidence.intact for t in record.turns)


def _score(record: EpisodeRecord) -> str:
    if record.reward is None:
        return "unscorable"
    return f"reward {record.reward:.2f}"
