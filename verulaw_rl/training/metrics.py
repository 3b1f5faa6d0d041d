"""One row of ``metrics.jsonl``: what an update's episodes came to, the optimiser's figures, where the time went.

Pure. ``grpo`` makes the rows; the run writes them; ``evaluation.curves`` plots them.
"""

from __future__ import annotations

import math
import resource
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from verulaw_rl.episodes.episode import CONTEXT_FULL
from verulaw_rl.episodes.record import EpisodeRecord
from verulaw_rl.evaluation.outcome import Outcome, outcome_of
from verulaw_rl.rollouts.engine import RolloutBatch
from verulaw_rl.suites.instance import Instance

_OF_TRL = {
    "entropy": "entropy",
    "kl": "kl",
    "clip_ratio": "clip_ratio/region_mean",
    "grad_norm": "grad_norm",
    "learning_rate": "learning_rate",
}
"""Our names of TRL's figures."""


@dataclass(frozen=True, slots=True)
class UpdateMetrics:
    """What a row is made of."""

    update: int
    seconds: float
    rollout_seconds: float
    batch: RolloutBatch
    logs: Mapping[str, Any]
    """Of TRL, averaged over the update's optimizer steps."""
    mismatch_kl: float | None = None
    """Between the policy that sampled and the one that is trained, before the first step."""
    instances: Mapping[str, Instance] = field(default_factory=dict)
    """Of the run, by key: their suite and difficulty are broken down by."""

    def to_row(self) -> dict[str, Any]:
        """The row; figures that there is nothing for are ``None``."""
        return {
            "update": self.update,
            **episode_metrics(self.batch),
            **broken_down(self.batch, self.instances),
            **verifier_metrics(self.batch),
            "mismatch_kl": self.mismatch_kl,
            **{ours: _finite(self.logs.get(theirs)) for ours, theirs in _OF_TRL.items()},
            "seconds/sampling": self.batch.sampling_s,
            "seconds/verifier_wait": self.batch.wait_s,
            "seconds/optimise": max(0.0, self.seconds - self.rollout_seconds),
            "seconds/other": max(0.0, self.rollout_seconds - self.batch.sampling_s - self.batch.wait_s),
            "waits_for": waits_for(self.seconds - self.rollout_seconds, self.batch.sampling_s, self.batch.wait_s),
            "memory/peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }


def waits_for(optimise_s: float, sampling_s: float, verifier_s: float) -> str:
    """The part of a step that takes longest, so that more machines would help it."""
    return max((optimise_s, "trainer"), (sampling_s, "sampling"), (verifier_s, "verifier"))[1]


def verifier_metrics(batch: RolloutBatch) -> dict[str, Any]:
    """Seconds that calls of the verifier waited and took, and the share of candidates that took none of its time."""
    evidence = [
        e for r in batch.results for t in r.record.turns for e in (t.evidence, t.assisted_evidence) if e is not None
    ]
    asked = [e for e in evidence if e.verifier_calls]
    return {
        "verifier/candidates": len(evidence),
        "verifier/calls": sum(e.verifier_calls for e in evidence),
        "verifier/queue_s": _mean(e.times.get("queue_s", 0.0) for e in asked),
        "verifier/tool_s": _mean(e.times.get("tool_s", 0.0) for e in asked),
        "verifier/cached": _mean(e.times.get("tool_s", 0.0) == 0.0 for e in asked),
    }


def broken_down(batch: RolloutBatch, instances: Mapping[str, Instance]) -> dict[str, float | None]:
    """Reward, its components and the verified rate by task, suite and difficulty, where these differ in a batch.

    Names read ``reward/task=annotation_repair`` and ``component/suite=seed/obligation_ratio``.
    """
    scored = [r.record for r in batch.results if r.record.reward is not None]
    groups: dict[str, list[EpisodeRecord]] = defaultdict(list)
    for record in scored:
        groups[f"task={record.task.value}"].append(record)
        if (instance := instances.get(record.instance)) is not None:
            groups[f"suite={instance.suite}"].append(record)
            if instance.difficulty:
                groups[f"difficulty={instance.difficulty}"].append(record)
    out: dict[str, float | None] = {}
    for name, records in sorted(groups.items()):
        out[f"reward/{name}"] = _mean(r.reward for r in records if r.reward is not None)
        out[f"verified/{name}"] = _mean(r.verified for r in records)
        for component in sorted({c for r in records for c in r.components}):
            values = [r.components[component] for r in records if component in r.components]
            out[f"component/{name}/{component}"] = _mean(values)
    return out


def episode_metrics(batch: RolloutBatch) -> dict[str, Any]:
    """Means and shares over the episodes of a batch; all but ``unscorable`` over the scorable ones."""
    records = [r.record for r in batch.results]
    scored = [r for r in records if r.reward is not None]
    outcomes = [outcome_of(r) for r in scored]
    probes = [
        (t.evidence.probes_passed, t.evidence.probes_total)
        for r in scored
        for t in r.turns
        if t.action == "submit" and t.evidence is not None
    ]
    turns = [t for r in scored for t in r.turns]
    return {
        "episodes": len(records),
        "reward": _mean(r.reward for r in scored if r.reward is not None),
        "verified": _mean(o.verified for o in outcomes),
        "verified_and_probes": _mean(o.verified_and_probes for o in outcomes),
        "probes": sum(p for p, _ in probes) / total if (total := sum(n for _, n in probes)) else None,
        "specification_changed": _mean(o.specification_changed for o in outcomes),
        "proof_escape": _mean(o.proof_escape for o in outcomes),
        "assisted_lost": _mean(o.assisted_lost for o in outcomes),
        "timeout": _mean(o.timeout for o in outcomes),
        "invalid_turns": _mean(t.invalid is not None for t in turns),
        "turns": _mean(len(r.turns) for r in scored),
        "submissions": _mean(o.submissions for o in outcomes),
        "first_verified": _mean(o.first_verified for o in outcomes),
        "retried": _mean(o.submissions > 1 for o in outcomes if o.failed_first),
        "revisions": _mean(o.revisions for o in outcomes),
        "recovered": _mean(o.verified for o in outcomes if o.failed_first),
        "truncated": _mean(r.end_reason == CONTEXT_FULL for r in scored),
        "sampled_tokens": _mean(sum(r.mask) for r in batch.results),
        "observed_tokens": _mean(len(r.mask) - sum(r.mask) for r in batch.results),
        "prompt_tokens": _mean(len(r.prompt_ids) for r in batch.results),
        # An episode is one row: a template that would fork it, by rewriting earlier turns, is refused.
        "rows": len(records),
        "unscorable": _mean(r.reward is None for r in records),
        "groups_without_signal": _mean(len(set(rewards)) < 2 for rewards in _groups(batch)),
        "groups_unscorable": _mean(len(rewards) < 2 for rewards in _groups(batch)),
        **_finding_rates(outcomes),
    }


def _finding_rates(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """``finding/KIND: CONSTRUCT``: share of episodes in some submission of which the audit found it."""
    found = [{name for submission in o.findings for name in submission} for o in outcomes]
    counts = Counter(name for names in found for name in names)
    return {f"finding/{name}": counts[name] / len(outcomes) for name in sorted(counts)}


def _groups(batch: RolloutBatch) -> list[list[float]]:
    """Rewards of each group's scorable episodes; where they are all the same, no advantage differs from 0."""
    groups: dict[str, list[float]] = defaultdict(list)
    for result in batch.results:
        rewards = groups[result.task.instance]
        if result.record.reward is not None:
            rewards.append(result.record.reward)
    return list(groups.values())


def _mean(values: Iterable[float]) -> float | None:
    values = list(values)
    return sum(values) / len(values) if values else None


def _finite(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None
