"""Updates at learning rate 0: nothing is learnt, so whatever drifts is a fault of rollouts, servers or weights.

Rewards are held to have no trend and the policy no distance from where it began. ``verulaw-rl train --canary-steps``
calls it, mostly before a long run on several machines: silently wrong weights have halved rewards at learning rate 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scipy import stats

from verulaw_rl.config.train import TrainConfig

TREND_P = 0.01
"""A trend less likely than this by chance is one."""
KL_AT_REST = 1e-3
"""A policy that has not moved is nearer to itself than this, rounding included."""
MISMATCH_KL = 0.015
"""Limit between sampler and trainer, as prime-rl sets it for a new model."""


def at_rest(config: TrainConfig, updates: int) -> TrainConfig:
    """The config of such a run: its own name, no learning, one held-out instance."""
    grpo = config.grpo.model_copy(update={"updates": updates, "learning_rate": 0.0, "save_every": updates})
    evaluation = config.evaluation.model_copy(update={"instances": 1, "every": None})
    return config.model_copy(update={"name": f"{config.name}-canary", "grpo": grpo, "evaluation": evaluation})


def drift_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """What drifted over a run's metrics rows, in words; empty where nothing did."""
    updates = [row for row in rows if "update" in row]
    rewards = [(row["update"], row["reward"]) for row in updates if row.get("reward") is not None]
    said = []
    if len(rewards) > 2 and len({reward for _, reward in rewards}) > 1:
        trend = stats.linregress([u for u, _ in rewards], [reward for _, reward in rewards])
        if trend.pvalue < TREND_P:
            said.append(f"rewards drift by {trend.slope:+.4f} an update (p = {trend.pvalue:.4f})")
    for key, limit, what in (
        ("kl", KL_AT_REST, "the policy moved"),
        ("mismatch_kl", MISMATCH_KL, "sampler and trainer differ"),
    ):
        largest = max((row[key] for row in updates if row.get(key) is not None), default=0.0)
        if largest > limit:
            said.append(f"{what}: {key} {largest:.4f}, limit {limit:g}")
    return "; ".join(said)
