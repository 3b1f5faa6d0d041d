"""An evaluation: what ``verulaw-rl evaluate`` reads, and writes into the evaluation's folder."""

from __future__ import annotations

from pydantic import Field

from verulaw_rl.config.base import ConfigModel
from verulaw_rl.config.endpoint import EndpointConfig
from verulaw_rl.config.episode import EpisodeConfig, RewardConfig
from verulaw_rl.config.specialist import SpecialistConfig
from verulaw_rl.config.verification import VerificationConfig


class BudgetConfig(ConfigModel):
    """Where an evaluation stops beginning episodes; those under way are finished and ``--resume`` goes on."""

    sampled_tokens: int | None = Field(default=None, ge=1)
    """In all episodes together, those of earlier attempts included."""
    cost: float | None = Field(default=None, gt=0)
    """By the prices of ``endpoint``, those of earlier attempts included."""
    hours: float | None = Field(default=None, gt=0)
    """Of this attempt."""


class EvaluateConfig(ConfigModel):
    """One evaluation of one policy over one split."""

    name: str = "evaluation"
    """Title of its report, and the run named in its records."""
    policy: str = ""
    """A model folder, a GGUF file, a name on the Hugging Face hub, ``openai:`` and a model's name on ``endpoint``, or
    ``scripted:`` and a name: reference, given, null, random, insertions, houdini."""
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
    episodes_at_once: int = Field(default=64, ge=1)
    """Episodes under way at a time: what a crash can lose, and what a batch of a model holds."""
    verdict_seeds: int = Field(default=0, ge=0)
    """Verify each accepted program again under so many seeds of the solver."""
    official: bool = False
    """Score submissions by DafnyBench's published rule too."""
    budget: BudgetConfig = BudgetConfig()
    endpoint: EndpointConfig = EndpointConfig()
    episode: EpisodeConfig = EpisodeConfig()
    reward: RewardConfig = RewardConfig()
    verification: VerificationConfig = VerificationConfig()
    specialist: SpecialistConfig | None = None
    """Completes the submissions of code generation; none unless declared."""
