"""The share of proof obligations discharged, with integrity penalties and a bonus for full verification.

Paper: section 3 and appendix C. Every number is a weight that a config can change
(``reward.weights: {postcondition: 0.6}``). Pure: the same evidence and weights give the same score.
"""

from pydantic import BaseModel, ConfigDict, Field

from verulaw_rl.evidence.evidence import Evidence
from verulaw_rl.evidence.reward import Score
from verulaw_rl.languages.base import Task
from verulaw_rl.verification.verdict import Status


class CategoryWeights(BaseModel):
    """One weight per category of obligation; only their ratios matter."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    postcondition: float = Field(ge=0)
    invariant: float = Field(ge=0)
    assertion: float = Field(ge=0)
    safety: float = Field(ge=0)
    termination: float = Field(ge=0)


class Weights(BaseModel):
    """Weights and penalties, with the design's defaults."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    annotation_repair: CategoryWeights = CategoryWeights(
        postcondition=0.25, invariant=0.4, assertion=0.15, safety=0.1, termination=0.1
    )
    code_generation: CategoryWeights = CategoryWeights(
        postcondition=0.5, invariant=0.1, assertion=0.1, safety=0.2, termination=0.1
    )
    verified_bonus: float = 2.0
    specification_changed: float = -1.0
    proof_escape: float = -3.0
    program_fault: float = 0.0
    probes: bool = True
    """Whether hidden probes count as obligations."""
    audit: bool = True
    """Whether the audit's findings are punished; off only to reproduce gaming."""


def bounds(weights: Weights) -> tuple[float, float]:
    """Lowest and highest total that these weights can give."""
    ends = (0.0, 1.0, weights.specification_changed, weights.proof_escape, weights.program_fault)
    verified = (weights.verified_bonus, 1.0 + weights.verified_bonus)
    return min(*ends, *verified), max(*ends, *verified)


def discharged_shares(evidence: Evidence) -> dict[str, float]:
    """``discharged[c] / N[c]`` of each category with ``N[c] > 0``."""
    shares = {}
    for category, discharged in evidence.discharged_by_category().items():
        total = evidence.totals.get(category, 0)
        if total > 0:
            shares[category.value] = discharged / total
    return shares


def obligation_ratio(shares: dict[str, float], weights: CategoryWeights) -> float | None:
    """``sum(w[c] * discharged[c] / N[c]) / sum(w[c])``, in [0, 1]; ``None`` where nothing exercised has a weight."""
    total = weighted = 0.0
    for category, share in shares.items():
        weight = getattr(weights, category)
        total += weight
        weighted += weight * share
    return weighted / total if total > 0 else None


def reward(evidence: Evidence, weights: Weights) -> Score:
    """Score of one submission: the table of the design, first line that fits."""
    if weights.audit and evidence.proof_escaped:
        return Score(weights.proof_escape, {"proof_escape": weights.proof_escape}, "proof_escape")
    if weights.audit and evidence.specification_changed:
        penalty = weights.specification_changed
        return Score(penalty, {"specification_changed": penalty}, "specification_changed")
    if evidence.status is Status.ERROR and evidence.program_fault:
        return Score(weights.program_fault, {"program_fault": weights.program_fault}, "program_fault")
    if evidence.status is Status.ERROR or evidence.status is None:
        return Score(None, {}, "unscorable")
    shares = discharged_shares(evidence)
    counted = shares if weights.probes else discharged_shares(evidence.without_probes())
    by_category = weights.annotation_repair if evidence.task is Task.ANNOTATION_REPAIR else weights.code_generation
    ratio = obligation_ratio(counted, by_category)
    if ratio is None:
        ratio = float(evidence.verified)
    components = {"obligation_ratio": ratio, **shares}
    if evidence.verified:
        return Score(
            ratio + weights.verified_bonus, {**components, "verified_bonus": weights.verified_bonus}, "verified"
        )
    return Score(ratio, components, "partial")
