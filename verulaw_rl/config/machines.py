"""What a run computes on: precision and sharding of the trainer, where episodes are sampled, and the cluster's jobs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from verulaw_rl.config.base import ConfigModel


class LoraConfig(ConfigModel):
    """Low-rank adapters instead of all weights (needs the ``lora`` extra)."""

    rank: int = Field(default=32, ge=1)
    """Of each adapter."""
    alpha: int = Field(default=64, ge=1)
    """Adapters are scaled by ``alpha / rank``."""
    dropout: float = Field(default=0.0, ge=0, lt=1)
    """Inside adapters; anything but 0 makes rollouts and trainer disagree."""
    target_modules: tuple[str, ...] | Literal["all-linear"] = "all-linear"
    """Which layers get one."""


class TrainerConfig(ConfigModel):
    """How the trainer holds and splits the model."""

    precision: Literal["float32", "bf16"] = "float32"
    """Of its arithmetic; master weights of the optimizer are float32 in either case where sharding keeps them."""
    gradient_checkpointing: bool = False
    """Compute activations again in the backward pass instead of keeping them."""
    lora: LoraConfig | None = None
    """Train adapters only; all weights when absent."""
    sharding: Literal["none", "fsdp2", "zero3"] = "none"
    """How processes split weights, gradients and optimizer state; its accelerate config is ``configs/accelerate``'s."""
    nodes: int = Field(default=1, ge=1)
    """Machines of the trainer."""
    processes_per_node: int = Field(default=1, ge=1)
    """One for each GPU."""
    gpus: bool = False
    """Whether each process has a GPU."""
    gpu_memory_gb: float = Field(default=80.0, gt=0)
    """Of one GPU, for ``plan``."""
    gpu_tflops: float = Field(default=312.0, gt=0)
    """Peak bf16 TFLOP/s of one GPU, for ``plan``: 312 is an A100's."""

    @property
    def processes(self) -> int:
        """In all."""
        return self.nodes * self.processes_per_node


class TransformersRollouts(ConfigModel):
    """Sample in the trainer's process, from the very weights that are trained: small models, one process or several."""

    type: Literal["transformers"] = "transformers"
    batch_size: int = Field(default=64, ge=1)
    """Prompts sampled at once."""


class VllmServerRollouts(ConfigModel):
    """Sample from vLLM servers, started apart (``vllm serve``, or by the SLURM job)."""

    type: Literal["vllm_server"] = "vllm_server"
    base_urls: tuple[str, ...] = ()
    """Such as ``http://node1:8000``; filled in by the SLURM job, else required."""
    model_name: str = "policy"
    """Name under which the servers offer the policy."""
    nodes: int = Field(default=1, ge=1)
    """Machines of the servers."""
    gpus_per_node: int = Field(default=8, ge=1)
    """GPUs of each."""
    tensor_parallel: int = Field(default=1, ge=1)
    """GPUs that hold one copy of the model."""
    gpu_memory_utilization: float = Field(default=0.9, gt=0, le=1)
    """Share of a GPU's memory that a server takes."""
    sync: Literal["trl", "path", "lora"] = "trl"
    """How weights reach the servers: TRL's transfer between GPUs, a folder on a shared disk, or an adapter there."""
    sync_timeout_s: float = Field(default=600.0, gt=0)
    """After it a transfer is taken to hang and the run stops, saying in which phase."""
    request_timeout_s: float = Field(default=600.0, gt=0)
    """Of one request; a request that stalls is made again."""
    retries: int = Field(default=3, ge=0)
    """Of a request; after them its episode is unscorable."""
    concurrency: int = Field(default=256, ge=1)
    """Requests at once."""


class VllmColocateRollouts(ConfigModel):
    """Sample with vLLM in the trainer's processes, sharing their GPUs."""

    type: Literal["vllm_colocate"] = "vllm_colocate"
    tensor_parallel: int = Field(default=1, ge=1)
    """GPUs that hold one copy of the model."""
    gpu_memory_utilization: float = Field(default=0.4, gt=0, le=1)
    """Share of a GPU's memory that sampling takes."""


RolloutsConfig = Annotated[
    TransformersRollouts | VllmServerRollouts | VllmColocateRollouts, Field(discriminator="type")
]
"""One of the ways to sample, by ``type``."""


class CanaryConfig(ConfigModel):
    """After each transfer of weights, log-probabilities of fixed tokens are compared between trainer and server."""

    tokens: int = Field(default=64, ge=1)
    """How many are compared."""
    tolerance: float = Field(default=0.05, gt=0)
    """Mean absolute difference that stops the run; bf16 on two engines differs by about a hundredth."""


class SlurmConfig(ConfigModel):
    """The job that ``verulaw-rl train --slurm`` submits. Trainer and servers take the nodes their sections say."""

    account: str = ""
    """Charged for it; the user's default when empty."""
    partition: str = ""
    """Of the GPU nodes; the cluster's default when empty."""
    verifier_partition: str = ""
    """Of the verifier nodes, where they are others; ``partition`` when empty."""
    time_limit: str = Field(default="24:00:00", pattern=r"^(\d+-)?\d+:\d\d:\d\d$")
    """Of one job; the next continues from the checkpoint."""
    grace_s: int = Field(default=300, ge=0)
    """Before the time limit, or on preemption, the trainer is told to write a checkpoint and end."""
    verifier_nodes: int = Field(default=0, ge=0)
    """Nodes that only verify, joined to the trainer's as a Ray cluster; 0 verifies on the trainer's nodes."""
    cpus_per_node: int = Field(default=64, ge=1)
    """Cores of a GPU node, for the trainer, its verifiers and servers."""
    verifier_cpus: int = Field(default=64, ge=1)
    """Cores of a verifier node."""
    specialist_nodes: int = Field(default=0, ge=0, le=1)
    """1 for a node on which the job serves the specialist's checkpoint."""
    specialist_checkpoint: str = ""
    """Its model folder."""
    specialist_backend: Literal["vllm", "transformers"] = "vllm"
    """What serves it."""
    setup: tuple[str, ...] = ("source .venv/bin/activate",)
    """Shell lines that every role begins with: modules, environment, caches."""
    health_timeout_s: int = Field(default=1800, ge=1)
    """By which every server must be healthy, or the job ends."""
    max_restarts: int = Field(default=20, ge=0)
    """Times that the job puts itself back into the queue."""

    @model_validator(mode="after")
    def _specialist_is_whole(self) -> SlurmConfig:
        if bool(self.specialist_nodes) != bool(self.specialist_checkpoint):
            raise ValueError("specialist_nodes and specialist_checkpoint go together")
        return self
