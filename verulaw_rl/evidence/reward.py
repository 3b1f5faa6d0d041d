"""Rewards: pure functions from Evidence and weights to a Score, loaded by path.

A reward file defines ``class Weights(pydantic.BaseModel)`` with its defaults and
``def reward(evidence, weights) -> Score``. ``rewards/obligation.py`` is the design's own; users point
``reward.file`` at theirs. Files are found by path, else by name among those shipped.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from verulaw_rl.errors import UserError
from verulaw_rl.evidence.evidence import Evidence
from verulaw_rl.shipped import load_file


@dataclass(frozen=True, slots=True)
class Score:
    """Score of one submission. ``total`` is ``None`` when it cannot be scored (the tool's fault)."""

    total: float | None
    components: dict[str, float]
    outcome: str
    """``verified``, ``partial``, ``specification_changed``, ``proof_escape``, ``program_fault`` or ``unscorable``."""


@dataclass(frozen=True, slots=True)
class Reward:
    """A loaded reward: its name, weights and function."""

    name: str
    path: Path
    weights: BaseModel
    function: Callable[[Evidence, Any], Score]

    def score(self, evidence: Evidence) -> Score:
        """Score one submission.

        Raises:
            UserError: the reward returned something that is no finite Score.
        """
        score = self.function(evidence, self.weights)
        if not isinstance(score, Score) or (score.total is not None and not math.isfinite(score.total)):
            raise UserError(
                f"reward {self.path} returned {score!r} for instance {evidence.instance!r}, candidate "
                f"{evidence.candidate_hash[:12]}; it must return a Score with a finite total, or total None"
            )
        return score


def load_reward(file: str, weights: dict[str, Any] | None = None) -> Reward:
    """Load a reward file and set some of its weights.

    Args:
        file: a path, or the name of a shipped reward such as ``rewards/obligation.py``.
        weights: values that replace defaults; unknown names are refused.

    Raises:
        UserError: no such file, it defines no reward, or a weight is unknown or of the wrong kind.
    """
    path, module = load_file(file, kind="rewards")
    model, function = getattr(module, "Weights", None), getattr(module, "reward", None)
    if not (isinstance(model, type) and issubclass(model, BaseModel) and callable(function)):
        raise UserError(
            f"{path} is no reward: it must define `class Weights(BaseModel)` and `reward(evidence, weights)`"
        )
    try:
        return Reward(path.stem, path, model.model_validate(weights or {}), function)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        known = ", ".join(model.model_fields)
        raise UserError(f"reward {path}: weight {where!r}: {first['msg']}; weights: {known}") from None
