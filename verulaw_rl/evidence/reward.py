"""Rewards: pure functions from Evidence and weights to a Score, loaded by path.

A reward file defines ``class Weights(pydantic.BaseModel)`` with its defaults and
``def reward(evidence, weights) -> Score``; it may declare its range with
``def bounds(weights) -> tuple[float, float]``. ``rewards/obligation.py`` is the design's own; users point
``reward.file`` at theirs. Files are found by path, else by name among those shipped.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import BaseModel, ValidationError

from verulaw_rl.errors import UserError
from verulaw_rl.evidence.evidence import Evidence
from verulaw_rl.shipped import load_file

SLACK = 1e-9
"""How far rounding may carry a total outside of its declared range."""


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

    bounds: tuple[float, float] = (-math.inf, math.inf)
    """Lowest and highest total that the file declares for these weights; everything where it declares nothing."""

    def score(self, evidence: Evidence) -> Score:
        """Score one submission; ``None`` in all where the tool failed on its probes.

        Raises:
            UserError: the reward failed, or returned something that is no finite Score within its declared range.
        """
        if evidence.probes_unsettled:
            return Score(None, {}, "unscorable")
        try:
            score = self.function(evidence, self.weights)
        except Exception as error:
            raise UserError(f"{self._on(evidence)} failed with {type(error).__name__}: {error}; correct it") from error
        if not isinstance(score, Score) or not _finite(score):
            raise UserError(
                f"{self._on(evidence)} returned {score!r}; it must return a Score whose total (or None) and "
                "components are finite"
            )
        low, high = self.bounds
        if score.total is not None and not low - SLACK <= score.total <= high + SLACK:
            raise UserError(
                f"{self._on(evidence)} returned {score.total!r}, outside of its declared range {low} to {high}; "
                "correct the reward or its `bounds`"
            )
        return score

    def _on(self, evidence: Evidence) -> str:
        return f"reward {self.path}: instance {evidence.instance!r}, candidate {evidence.candidate_hash[:12]}:"


def _finite(score: Score) -> bool:
    """Whether every number is one: a sum is finite only if all that is added is."""
    try:
        return math.isfinite(sum(score.components.values()) + (score.total or 0.0))
    except TypeError:
        return False


def load_reward(file: str, weights: dict[str, Any] | None = None) -> Reward:
    """Load a reward file and set some of its weights.

    Args:
        file: a path, or the name of a shipped reward such as ``rewards/obligation.py``.
        weights: values that replace defaults; unknown names are refused.

    Raises:
        UserError: no such file, it defines no reward, a weight is unknown or of the wrong kind, or the declared
            range is none.
    """
    path, module = load_file(file, kind="rewards")
    model, function = getattr(module, "Weights", None), getattr(module, "reward", None)
    if not (isinstance(model, type) and issubclass(model, BaseModel) and callable(function)):
        raise UserError(
            f"{path} is no reward: it must define `class Weights(BaseModel)` and `reward(evidence, weights)`"
        )
    try:
        values = model.model_validate(weights or {})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        known = ", ".join(model.model_fields)
        raise UserError(f"reward {path}: weight {where!r}: {first['msg']}; weights: {known}") from None
    return Reward(path.stem, path, values, function, _declared_bounds(path, module, values))


def _declared_bounds(path: Path, module: ModuleType, weights: BaseModel) -> tuple[float, float]:
    declare = getattr(module, "bounds", None)
    if declare is None:
        return -math.inf, math.inf
    try:
        low, high = (float(end) for end in declare(weights))
    except Exception as error:
        raise UserError(f"{path}: `bounds(weights)` must return two numbers, not fail with {error!r}") from error
    if not low <= high:
        raise UserError(f"{path}: `bounds(weights)` returned {low} to {high}, which is no range")
    return low, high
