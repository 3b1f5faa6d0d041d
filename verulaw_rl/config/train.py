"""A training run: the model of ``configs/*.yaml``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from verulaw_rl.config.base import ConfigModel
from verulaw_rl.config.episode import EpisodeConfig, RewardConfig
from verulaw_rl.config.machines import (
    CanaryConfig,
    RolloutsConfig,
    SlurmConfig,
    TrainerConfig,
    TransformersRollouts,
    VllmServerRollouts,
)
from verulaw_rl.config.specialist import SpecialistConfig
from verulaw_rl.config.suite import SuiteConfig
from verulaw_rl.config.verification import VerificationConfig


class SmallPolicy(ConfigModel):
    """A freshly initialised Qwen3-architecture model with a tokenizer trained on the training split."""

    type: Literal["small"] = "small"
    hidden_size: int = 192
    """Width of the residual stream."""
    intermediate_size: int = 512
    """Width inside each feed-forward layer."""
    layers: int = 4
    """Number of decoder layers."""
    heads: int = 4
    """Attention heads per layer; must divide ``hidden_size``."""
    vocabulary: int = 1024
    """Upper bound of the tokenizer's vocabulary."""
    context_tokens: int = 1024
    """Prompt, turns and observations of an episode together."""
    initializer_range: float = Field(default=0.02, gt=0)
    """Standard deviation of the first weights; a narrow model learns copying much sooner with 0.05."""


class PretrainedPolicy(ConfigModel):
    """A model folder (or hub name where a hub can be reached)."""

    type: Literal["pretrained"] = "pretrained"
    path: str
    """Folder that ``save_pretrained`` wrote, tokenizer included."""
    gguf_file: str | None = None
    """File name inside ``path`` when the weights are GGUF."""
    chat_template: str | None = None
    """Jinja file that replaces the tokenizer's chat template, which must keep earlier turns as a prefix; a path, or the
    name of a shipped one such as ``configs/chat_templates/qwen3.jinja``."""
    context_tokens: int = 16384
    """Prompt, turns and observations of an episode together."""


PolicyConfig = Annotated[SmallPolicy | PretrainedPolicy, Field(discriminator="type")]
"""One of the kinds of policy, by ``type``."""


class WarmStartConfig(ConfigModel):
    """Supervised fine-tuning on reference proofs, in the same chat format as episodes."""

    batches: int = Field(default=0, ge=0)
    """Optimizer steps; 0 leaves the policy as it is."""
    batch_size: int = Field(default=32, ge=1)
    """Examples per optimizer step."""
    learning_rate: float = Field(default=2e-3, gt=0)
    """Peak of AdamW's learning rate."""
    warmup_batches: int = Field(default=10, ge=0)
    """Steps over which the learning rate rises from 0."""
    adam_beta2: float = Field(default=0.999, gt=0, lt=1)
    """Of a few hundred batches, 0.999 remembers the first, whose gradients are the largest; 0.95 forgets them."""
    annotations_kept: float = Field(default=1.0, gt=0, le=1)
    """Share of a reference proof's annotations that its demonstration keeps, each drawn apart (at least one stays).
    Below 1 the policy learns what annotations look like but not that a proof needs them all: GRPO has to find that."""


class GrpoConfig(ConfigModel):
    """Group-relative policy optimisation over whole episodes (paper, section 3 and D.1)."""

    updates: int = Field(default=20, ge=0)
    """Rollout batches; each gives ``epochs`` passes of optimizer steps."""
    prompts_per_update: int = Field(default=8, ge=1)
    """Instances per rollout batch."""
    group_size: int = Field(default=8, ge=2)
    """Episodes per instance; advantages are relative to their group."""
    epochs: int = Field(default=1, ge=1)
    """Passes over each rollout batch (``num_iterations`` of TRL)."""
    minibatches: int = Field(default=1, ge=1)
    """Optimizer steps per pass."""
    micro_batch_size: int = Field(default=16, ge=1)
    """Episodes per forward pass."""
    learning_rate: float = Field(default=1e-6, ge=0)
    """Peak of AdamW's learning rate; 0 trains nothing, to see whether rewards drift."""
    warmup_updates: int = Field(default=0, ge=0)
    """Updates over which the learning rate rises from 0."""
    schedule: Literal["constant_with_warmup", "linear", "cosine"] = "constant_with_warmup"
    """What the learning rate does afterwards."""
    loss: Literal["grpo", "dapo", "bnpo", "dr_grpo"] = "dapo"
    """How tokens are weighed, by TRL's names: ``grpo`` averages over each episode first, ``dapo`` over all tokens."""
    scale_rewards: Literal["group", "batch", "none"] = "group"
    """What an episode's reward less its group's mean is divided by: the group's standard deviation, the whole batch's,
    or nothing. By group, a tenth of partial credit where no episode proves anything weighs as much as a whole proof
    elsewhere, and a weak policy learns to hand in the one safe invariant."""
    kl: float = Field(default=0.001, ge=0)
    """Weight of the k3 KL penalty to the policy before GRPO."""
    clip: float = Field(default=0.2, gt=0)
    """The probability ratio is clipped below at ``1 - clip``."""
    clip_high: float | None = None
    """The ratio is clipped above at ``1 + clip_high``; ``clip`` when absent."""
    max_grad_norm: float = 1.0
    """Gradients are scaled down to this norm."""
    temperature: float = Field(default=1.0, gt=0)
    """Of rollouts; 1 keeps the sampled and the trained distribution the same."""
    max_turn_tokens: int = Field(default=1024, ge=1)
    """Sampled tokens per turn at most."""
    save_every: int = Field(default=5, ge=1)
    """Updates between checkpoints."""


class EvaluationConfig(ConfigModel):
    """Held-out evaluation, before and after."""

    split: str = "heldout"
    """Split that is evaluated."""
    instances: int | None = Field(default=None, ge=1)
    """At most so many instances; all when absent."""
    temperature: float = Field(default=0.0, ge=0)
    """0 decodes greedily, as the paper evaluates."""
    samples: int = Field(default=1, ge=1)
    """Episodes per instance."""
    every: int | None = None
    """Updates between evaluations during training; none when absent."""


class TrackingConfig(ConfigModel):
    """Trackers beside the run folder's own JSONL, which is always written."""

    tensorboard: bool = False
    """Also write TensorBoard's events into the run folder (needs the ``tensorboard`` extra)."""
    wandb: bool = False
    """Also log to Weights & Biases (needs the ``wandb`` extra; ``WANDB_MODE=offline`` keeps it local)."""
    project: str = "verulaw_rl"
    """Its project."""


class DpoConfig(ConfigModel):
    """Direct preference optimisation: episodes of the policy before it, ranked by reward within their group."""

    beta: float = Field(default=0.1, gt=0)
    """Weight of the implicit KL penalty to the policy before."""
    pairs_per_group: int = Field(default=4, ge=1)
    """Best with worst, second best with second worst, and so on."""
    min_gap: float = Field(default=0.1, gt=0)
    """Episodes whose rewards differ by less are no pair."""
    learning_rate: float = Field(default=5e-7, gt=0)
    """Peak of AdamW's learning rate."""
    batch_size: int = Field(default=32, ge=1)
    """Pairs per optimizer step, over all processes."""
    epochs: int = Field(default=1, ge=1)
    """Passes over the pairs."""


class TrainConfig(ConfigModel):
    """One training run."""

    name: str = "run"
    """The run's folder is ``<output>/<name>``, with a number when that exists: never overwritten."""
    output: str = "runs"
    """Folder that holds run folders."""
    seed: int = 0
    """Of weights, data order and sampling."""
    threads: int | None = Field(default=None, ge=1)
    """Threads of the trainer's own arithmetic beside a busy verifier, whose workers need the cores; alone it uses all
    cores. Left to the libraries when absent."""
    suite: SuiteConfig
    policy: PolicyConfig
    episode: EpisodeConfig = EpisodeConfig()
    reward: RewardConfig = RewardConfig()
    verification: VerificationConfig = VerificationConfig()
    specialist: SpecialistConfig | None = None
    """Completes the submissions of code generation; none unless declared. Never started by a run."""
    warm_start: WarmStartConfig = WarmStartConfig()
    method: Literal["grpo", "rejection", "dpo"] = "grpo"
    """What the episodes of ``grpo.updates`` batches are used for: ``rejection`` fine-tunes on the verified ones alone,
    as they were sampled; ``dpo`` plays them all with the policy before, and prefers the better of each pair. Supervised
    fine-tuning on reference proofs is a warm start with ``grpo.updates: 0``."""
    grpo: GrpoConfig = GrpoConfig()
    dpo: DpoConfig = DpoConfig()
    trainer: TrainerConfig = TrainerConfig()
    rollouts: RolloutsConfig = TransformersRollouts()
    canary: CanaryConfig = CanaryConfig()
    slurm: SlurmConfig = SlurmConfig()
    evaluation: EvaluationConfig = EvaluationConfig()
    tracking: TrackingConfig = TrackingConfig()

    @model_validator(mode="after")
    def _batches_divide(self) -> TrainConfig:
        episodes = self.grpo.prompts_per_update * self.grpo.group_size
        if episodes % self.grpo.minibatches:
            raise ValueError(
                f"grpo.minibatches ({self.grpo.minibatches}) must divide prompts_per_update * group_size ({episodes})"
            )
        if episodes // self.grpo.minibatches % self.trainer.processes:
            raise ValueError(
                f"the trainer's {self.trainer.processes} processes must divide the {episodes // self.grpo.minibatches} "
                "episodes of an optimizer step (prompts_per_update * group_size / minibatches)"
            )
        if isinstance(self.rollouts, VllmServerRollouts):
            if self.rollouts.sync == "lora" and self.trainer.lora is None:
                raise ValueError("rollouts.sync: lora sends an adapter; set trainer.lora, or sync: trl or path")
            if self.rollouts.sync == "trl" and max(self.rollouts.nodes, len(self.rollouts.base_urls)) > 1:
                raise ValueError("rollouts.sync: trl reaches one server; set rollouts.nodes: 1, or sync: path or lora")
        return self
