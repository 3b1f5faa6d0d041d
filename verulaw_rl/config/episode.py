"""What an episode is: task, actions, wire format, budgets."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from verulaw_rl.config.base import ConfigModel

ActionName = Literal["verify", "run", "audit", "assist", "submit"]


class EpisodeConfig(ConfigModel):
    """One environment and its settings."""

    environment: str = "envs/annotation_repair.py"
    """Environment file: a path, or the name of a shipped one."""
    wire_format: Literal["tags", "tools"] = "tags"
    """``tags``: ``<submit>...</submit>``; ``tools``: native tool calls, for models that have them."""
    hand_in: Literal["full", "insertions"] = "full"
    """A whole program, or lines to insert after numbered lines of the given (annotation repair only)."""
    actions: tuple[ActionName, ...] = ("verify", "run", "audit", "submit")
    """Actions offered to the agent."""
    turns: int = Field(default=20, ge=1)
    """Turn budget."""
    prompt: Literal["full", "compact"] = "full"
    """``compact``: the numbered program alone, for tiny models that were trained on it."""
    observation_messages: int = Field(default=10, ge=0)
    """At most so many unmet obligations are shown in an observation."""
    verify_rejected: bool = False
    """Whether a candidate that the audit rejects is verified all the same (to study gaming)."""


class EpisodeTerms(ConfigModel):
    """Terms of an episode's reward beside its best submission's score (design, ``Reward of an episode``)."""

    no_submission: float = -1.5
    """Reward of an episode without any submission."""
    wasted_turn: float = -0.25
    """For each unchanged resubmission and each turn without a valid action."""
    wasted_cap: float = -1.0
    """The wasted turns together never cost more."""


class RewardConfig(ConfigModel):
    """Which reward, and its weights."""

    file: str = "rewards/obligation.py"
    """Reward file: a path, or the name of a shipped one."""
    weights: dict[str, object] = Field(default_factory=dict)
    """Weights that replace the file's defaults."""
    episode: EpisodeTerms = EpisodeTerms()
