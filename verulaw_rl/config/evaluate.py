"""An evaluation: what ``verulaw-rl evaluate`` reads, and writes into the evaluation's folder."""

from __future__ import annotations

from pydantic import Field

from verulaw_rl.config.base import ConfigModel
from verulaw_rl.config.episode import EpisodeConfig, RewardConfig
from verulaw_rl.config.verification import VerificationConfig


class EvaluateConfig(ConfigModel):
    """One evaluation of one policy over one split."""

    name: str = "evaluation"
    """Title of its report, and the run named in its records."""
    policy: str = ""
    """A model folder, or ``scripted:`` and a name: reference, given, null, random."""
    suite: str = "seed"
    """JSONL file that ``build`` wrote, or ``seed`` for the bundled suite."""
    split: str = "heldout"
    """Split that is evaluated."""
    limit: int | None = Field(default=None, ge=1)
    """Only the first so many instances."""
    samples: int = Field(default=1, ge=1)
    """Episodes per instance."""
    temperature: float = Field(default=0.0, ge=0)
    """0 decodes greedily, as the paper evaluates."""
    seed: int = 0
    """Of sampling."""
    max_turn_tokens: int = Field(default=1024, ge=1)
    """Sampled tokens per turn at most."""
    episode: EpisodeConfig = EpisodeConfig()
    reward: RewardConfig = RewardConfig()
    verification: VerificationConfig = VerificationConfig()
