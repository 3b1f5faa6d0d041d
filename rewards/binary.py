"""One if the submission is intact and verified, else zero: the comparison that most peers train with."""

from pydantic import BaseModel, ConfigDict

from verulaw_rl.evidence.evidence import Evidence
from verulaw_rl.evidence.reward import Score
from verulaw_rl.verification.verdict import Status


class Weights(BaseModel):
    """What each of the two outcomes pays."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    verified: float = 1.0
    otherwise: float = 0.0


def bounds(weights: Weights) -> tuple[float, float]:
    """The two outcomes."""
    return min(weights.verified, weights.otherwise), max(weights.verified, weights.otherwise)


def reward(evidence: Evidence, weights: Weights) -> Score:
    """``verified`` for an intact and verified submission, else ``otherwise``; the tool's failures are unscorable."""
    if evidence.intact and evidence.verified:
        return Score(weights.verified, {"verified": weights.verified}, "verified")
    if evidence.intact and (evidence.status is None or evidence.status is Status.ERROR) and not evidence.program_fault:
        return Score(None, {}, "unscorable")
    return Score(weights.otherwise, {"verified": weights.otherwise}, "partial" if evidence.intact else "rejected")
