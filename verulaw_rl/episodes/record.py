"""The record of an episode: one JSON row, enough to score it again, replay it and analyse it.

The environment makes it; runs append it to their episodes file; reports, ``play --json`` and re-scoring read it.
:func:`rescore` and :func:`summarise` are pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from verulaw_rl.config.episode import EpisodeConfig, EpisodeTerms
from verulaw_rl.episodes.action import ActionKind, InvalidAction
from verulaw_rl.episodes.value import episode_value, wasted_penalty
from verulaw_rl.errors import UserError
from verulaw_rl.evidence.evidence import Evidence
from verulaw_rl.evidence.reward import Reward, Score
from verulaw_rl.languages.base import Task
from verulaw_rl.verification.verdict import ToolIdentity


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: what the assistant wrote, what it came to, and what it was told."""

    text: str
    observation: str
    action: ActionKind | None = None
    """``None`` for a turn without exactly one valid action, or one cut off by the end of the context."""
    invalid: InvalidAction | None = None
    program: str | None = None
    """The whole candidate, insertions applied."""
    calls: str = ""
    evidence: Evidence | None = None
    score: Score | None = None
    """Of a submission, as handed in."""
    assisted: Score | None = None
    """Of a submission's proof as a specialist completed it; the submission's score is the larger of the two."""
    assisted_program: str | None = None
    """What the specialist made of the candidate, for ``submit`` and ``assist``."""
    assisted_evidence: Evidence | None = None
    assist_note: str = ""
    """Why a specialist that was asked gave nothing usable."""
    unchanged: bool = False
    """A submission of a program that this episode had submitted, and got scored, before."""
    times: dict[str, float] = field(default_factory=dict, compare=False)
    """Seconds: ``turn_s`` in all, and the evidence's own parts."""

    @property
    def wasted(self) -> bool:
        """Whether it costs reward."""
        return self.unchanged or self.invalid is not None

    @property
    def best_score(self) -> Score | None:
        """The larger of the direct and the assisted score; ``None`` where nothing was submitted."""
        scores = [s for s in (self.score, self.assisted) if s is not None]
        return max(scores, key=lambda s: float("-inf") if s.total is None else s.total, default=None)


@dataclass(frozen=True, slots=True)
class Summary:
    """What an ended episode's turns come to."""

    reward: float | None
    """``None`` when it cannot be scored, through no fault of the agent."""
    direct_score: float | None
    """Best score of the submissions as handed in."""
    assisted_score: float | None
    components: dict[str, float]
    """Of the best submission, with ``best_submission``, ``wasted_turns`` and ``no_submission`` beside."""


@dataclass(frozen=True, slots=True)
class EpisodeRecord:
    """One episode."""

    instance: str
    instance_hash: str
    task: Task
    environment: str
    settings: EpisodeConfig
    turns: tuple[Turn, ...]
    end_reason: str
    reward: float | None
    direct_score: float | None
    assisted_score: float | None
    components: dict[str, float]
    reward_name: str
    reward_weights: dict[str, Any]
    terms: EpisodeTerms
    tools: tuple[ToolIdentity, ...]
    """Every tool that gave a verdict; the instance's own where none did."""
    run: str = ""
    policy: str = ""
    policy_version: str = ""
    seed: int | None = None
    sampling: dict[str, Any] = field(default_factory=dict)
    """Sampling parameters of the policy."""
    tokens: dict[str, int] = field(default_factory=dict)
    """Token counts: ``prompt``, ``sampled``, ``observed``; of an endpoint ``billed_prompt``, read anew each turn."""
    times: dict[str, float] = field(default_factory=dict, compare=False)

    @property
    def verified(self) -> bool:
        """Whether some submission is intact and verified, as handed in or as the specialist completed it."""
        submitted = (e for t in self.turns if t.action == "submit" for e in (t.evidence, t.assisted_evidence))
        return any(e.verified and e.intact for e in submitted if e is not None)


_ADAPTER: TypeAdapter[EpisodeRecord] = TypeAdapter(EpisodeRecord)


def summarise(turns: Sequence[Turn], terms: EpisodeTerms) -> Summary:
    """Reward, scores and components of an ended episode."""
    submissions = [t for t in turns if t.action == "submit"]
    best = [t.best_score for t in submissions]
    totals = [None if s is None else s.total for s in best]
    wasted = sum(t.wasted for t in turns)
    winner = max((s for s in best if s is not None and s.total is not None), key=lambda s: s.total or 0.0, default=None)
    components = dict(winner.components) if winner else {}
    components["wasted_turns"] = wasted_penalty(wasted, terms)
    if winner is not None and winner.total is not None:
        components["best_submission"] = winner.total
    elif not submissions:
        components["no_submission"] = terms.no_submission
    return Summary(
        reward=episode_value(totals, wasted, terms),
        direct_score=_best(t.score for t in submissions),
        assisted_score=_best(t.assisted for t in submissions),
        components=components,
    )


def rescore(record: EpisodeRecord, reward: Reward, terms: EpisodeTerms) -> EpisodeRecord:
    """The record under another reward, other weights or other terms, from its evidence alone.

    Raises:
        UserError: the reward returns something that is no finite Score.
    """
    turns = tuple(
        replace(
            t,
            score=t.score if t.score is None or t.evidence is None else reward.score(t.evidence),
            assisted=t.assisted
            if t.assisted is None or t.assisted_evidence is None
            else reward.score(t.assisted_evidence),
        )
        for t in record.turns
    )
    summary = summarise(turns, terms)
    return replace(
        record,
        turns=turns,
        reward=summary.reward,
        direct_score=summary.direct_score,
        assisted_score=summary.assisted_score,
        components=summary.components,
        reward_name=reward.name,
        reward_weights=reward.weights.model_dump(mode="json"),
        terms=terms,
    )


def record_to_row(record: EpisodeRecord) -> dict[str, Any]:
    """Plain JSON data of a record."""
    row: dict[str, Any] = _ADAPTER.dump_python(record, mode="json")
    return row


def record_from_row(row: dict[str, Any]) -> EpisodeRecord:
    """Inverse of :func:`record_to_row`.

    Raises:
        pydantic.ValidationError: a field is missing or of the wrong kind.
    """
    return _ADAPTER.validate_python(row)


def dump_record(record: EpisodeRecord) -> str:
    """One line of an episodes file, without its newline; any text at all survives."""
    return json.dumps(record_to_row(record), ensure_ascii=True)


def load_records(path: Path) -> Iterator[EpisodeRecord]:
    """Records of an episodes file, one at a time.

    Raises:
        UserError: the file cannot be read, or a line is no record.
    """
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                try:
                    yield record_from_row(json.loads(line))
                except (json.JSONDecodeError, ValidationError) as error:
                    reason = str(error).splitlines()[0]
                    raise UserError(f"{path}:{number}: no episode record ({reason})") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read episodes {path}: {error}") from None


def _best(scores: Iterator[Score | None]) -> float | None:
    return max((s.total for s in scores if s is not None and s.total is not None), default=None)
