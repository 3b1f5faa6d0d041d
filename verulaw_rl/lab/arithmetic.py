"""The arithmetic of ``rewards/obligation.py``, taken apart: what each category contributes. Pure.

``explain`` prints it; the lab page computes the same from the same counts in JavaScript. Other rewards have other
arithmetic: of them only the score and its components are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from verulaw_rl.evidence.evidence import Evidence
from verulaw_rl.evidence.reward import Reward
from verulaw_rl.languages.base import Category, Task
from verulaw_rl.shipped import shipped_folder
from verulaw_rl.verification.verdict import Status


@dataclass(frozen=True, slots=True)
class Term:
    """One category of ``r = sum(w[c] * discharged[c] / N[c]) / sum(w[c])``."""

    category: str
    total: int
    """``N[c]``."""
    open: int
    """Obligations of the instance not shown to hold."""
    own_failures: int
    """Failures of the candidate's own annotations and helpers that count here."""
    discharged: int
    weight: float
    part: float
    """``w[c] * discharged[c] / N[c] / sum(w)``: the parts add up to r."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What the arithmetic needs of one submission; lists are in the order of ``Category``."""

    repair: bool
    """Annotation repair, whose weights are their own table."""
    totals: list[int]
    open: list[int]
    """Obligations not shown to hold, probes included."""
    probes: list[int]
    """Probes among ``totals``."""
    open_probes: list[int]
    failures: list[int]
    """The candidate's own failures, by the category that the tool gave them."""
    verified: bool
    escaped: bool
    changed: bool
    fault: bool
    """An error of the program's doing."""
    unscorable: bool
    """An error of the tool's, or no verdict."""
    unsettled: bool
    """An error of the tool's on the probes alone."""


def is_obligation_reward(reward: Reward) -> bool:
    """Whether a reward is the one whose arithmetic this is."""
    return reward.path.resolve() == (shipped_folder("rewards") / "obligation.py").resolve()


def terms_of(evidence: Evidence, weights: Any) -> tuple[Term, ...]:
    """The categories that the instance exercises, under the weights of ``rewards/obligation.py``."""
    seen = evidence if weights.probes else evidence.without_probes()
    table = weights.annotation_repair if seen.task is Task.ANNOTATION_REPAIR else weights.code_generation
    exercised = [c for c in Category if seen.totals.get(c, 0) > 0]
    scale = sum(getattr(table, c.value) for c in exercised)
    undischarged, discharged = seen.undischarged_by_category(), seen.discharged_by_category()
    out = []
    for c in exercised:
        missing = sum(r.category is c and not r.discharged for r in seen.results)
        weight, total = getattr(table, c.value), seen.totals[c]
        part = weight * discharged[c] / total / scale if scale > 0 else 0.0
        out.append(Term(c.value, total, missing, undischarged[c] - missing, discharged[c], weight, part))
    return tuple(out)


def counts_of(evidence: Evidence) -> Counts:
    """The counts of one submission."""
    place = {c: n for n, c in enumerate(Category)}
    counts = {name: [0] * len(place) for name in ("open", "probes", "open_probes", "failures")}
    for result in evidence.results:
        n = place[result.category]
        counts["open"][n] += not result.discharged
        counts["probes"][n] += result.is_probe
        counts["open_probes"][n] += result.is_probe and not result.discharged
    for failure in evidence.failures:
        counts["failures"][place[failure.category]] += 1
    is_error = evidence.status is Status.ERROR
    fault = is_error and evidence.program_fault
    return Counts(
        repair=evidence.task is Task.ANNOTATION_REPAIR,
        totals=[evidence.totals.get(c, 0) for c in Category],
        verified=evidence.verified,
        escaped=evidence.proof_escaped,
        changed=evidence.specification_changed,
        fault=fault,
        unscorable=not fault and (is_error or evidence.status is None),
        unsettled=evidence.probes_unsettled,
        **counts,
    )
