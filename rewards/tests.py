"""The share of executable tests that pass, without a verifier: what most training of code models pays.

A comparison only: what the tests do not cover is not seen. The instance must have tests.
"""

from pydantic import BaseModel, ConfigDict, Field

from verulaw_rl.evidence.evidence import Evidence
from verulaw_rl.evidence.reward import Score


class Weights(BaseModel):
    """What tests pay."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    passed: float = Field(default=1.0, ge=0)
    """For all tests; a share of them pays that share."""
    rejected: float = -1.0
    """For a submission that changes what must stay; 0 or more lets it be gamed."""


def bounds(weights: Weights) -> tuple[float, float]:
    """Nothing passed or rejected, to everything passed."""
    return min(0.0, weights.rejected), max(weights.passed, weights.rejected)


def reward(evidence: Evidence, weights: Weights) -> Score:
    """``passed`` times the share of tests that pass; the machine's failure to run them is unscorable."""
    if not evidence.intact:
        return Score(weights.rejected, {"rejected": weights.rejected}, "rejected")
    if evidence.tests_total == 0:
        raise ValueError("the instance has no tests; build its suite with tests, or choose another reward")
    if evidence.tests_passed is None or evidence.tests_total is None:
        return Score(None, {}, "unscorable")
    share = evidence.tests_passed / evidence.tests_total
    return Score(weights.passed * share, {"tests": share}, "verified" if evidence.verified else "partial")
