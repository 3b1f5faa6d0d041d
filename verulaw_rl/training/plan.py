"""What a run will take: GPU memory by role, tokens, verifier core-hours and seconds of a step, with the arithmetic.

An estimate, to find out before the queue does that a config cannot fit or that the verifier is the bottleneck. Every
assumption is a field of :class:`Assumptions` with where it is from; ``verulaw-rl plan`` prints all of it. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass

from verulaw_rl.config.machines import VllmColocateRollouts, VllmServerRollouts
from verulaw_rl.config.train import TrainConfig
from verulaw_rl.training.shapes import ModelShape, shape_of

GB = 1e9


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What the config does not say."""

    prompt_tokens: int = 1200
    """Instructions and program."""
    response_tokens: int = 3000
    """Sampled in an episode: the paper's fall from about 3,950 to 1,300 (F.3)."""
    turns: float = 6.0
    """Of an episode, each answered."""
    observation_tokens: int = 250
    """Of an answer."""
    calls_per_turn: float = 1.6
    """Of the verifier: a plain run, and for most candidates an instrumented one."""
    verifier_s: float = 2.0
    """Core-seconds of a call: Dafny's; Nagini's are about three times that (paper, F.4)."""
    training_utilisation: float = 0.2
    """Of peak FLOP/s; prime-rl's published baselines reach 21 % on a dense 4B model."""
    training_utilisation_experts: float = 0.08
    """The same of mixtures of experts, from their 30B-A3B baseline."""
    bandwidth_tb_s: float = 2.0
    """Memory bandwidth of a GPU: an A100's."""
    sampling_efficiency: float = 0.6
    """Of synchronous rollouts, whose batches thin out as episodes end."""
    rest_s: float = 30.0
    """Of a step: weights to the servers, records, waiting for the last."""


@dataclass(frozen=True, slots=True)
class Line:
    """One figure and how it comes about."""

    part: str
    what: str
    value: float
    unit: str
    how: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The estimate of one run."""

    model: str
    lines: tuple[Line, ...]
    warnings: tuple[str, ...]

    def value(self, part: str, what: str) -> float:
        """The figure of that name."""
        return next(line.value for line in self.lines if (line.part, line.what) == (part, what))


def plan_of(config: TrainConfig, assumed: Assumptions | None = None) -> Plan:
    """Estimate a run.

    Raises:
        UserError: the policy's shape is not known.
    """
    assumed = assumed or Assumptions()
    shape = shape_of(config.policy)
    tokens = _tokens(config, assumed)
    trainer = _trainer_memory(config, shape, tokens[-1].value)
    sampler = _sampler_memory(config, shape)
    verifier = _verifier(config, assumed)
    times = _times(config, shape, assumed, tokens, verifier)
    lines = (*tokens, *trainer, *sampler, *verifier, *times)
    plan = Plan(shape.name, lines, ())
    return Plan(shape.name, lines, tuple(_warnings(config, plan)))


def _tokens(config: TrainConfig, a: Assumptions) -> list[Line]:
    episodes = config.grpo.prompts_per_update * config.grpo.group_size
    turns = min(a.turns, config.episode.turns)
    sampled = min(float(a.response_tokens), turns * config.grpo.max_turn_tokens)
    context = min(a.prompt_tokens + sampled + turns * a.observation_tokens, float(config.policy.context_tokens))
    grpo = config.grpo
    return [
        Line("tokens", "episodes", episodes, "a step", f"{grpo.prompts_per_update} instances x {grpo.group_size}"),
        Line("tokens", "sampled", episodes * sampled, "a step", f"{episodes} x {sampled:g}"),
        Line("tokens", "read by the trainer", episodes * context, "a step",
             f"{episodes} x ({a.prompt_tokens} prompt + {sampled:g} sampled + {turns:g} x {a.observation_tokens})"),
        Line("tokens", "context of an episode", context, "tokens", f"at most {config.policy.context_tokens}"),
    ]  # fmt: skip


def _trainer_memory(config: TrainConfig, shape: ModelShape, context: float) -> list[Line]:
    trainer, part = config.trainer, "trainer, a GPU" if config.trainer.gpus else "trainer, a process"
    split = trainer.processes if trainer.sharding != "none" else 1
    weights = shape.parameters
    lines = []
    if trainer.lora is None:
        lines.append(
            Line(part, "weights, gradients, optimizer", 16 * weights / split / GB, "GB",
                 f"(4 weights + 4 gradients + 8 Adam) bytes x {weights / 1e9:.2f}e9 / {split}")
        )  # fmt: skip
        if config.grpo.kl > 0 or config.method == "dpo":
            lines.append(
                Line(
                    part,
                    "reference policy",
                    2 * weights / split / GB,
                    "GB",
                    f"2 bytes x {weights / 1e9:.2f}e9 / {split}",
                )
            )
    else:
        adapters = 2 * trainer.lora.rank * shape.hidden * 7 * shape.layers
        lines.append(
            Line(part, "weights, adapters and their optimizer", (2 * weights + 16 * adapters) / split / GB, "GB",
                 f"(2 bytes x {weights / 1e9:.2f}e9 + 16 bytes x {adapters / 1e6:.0f}e6) / {split}")
        )  # fmt: skip
    rows = config.grpo.micro_batch_size
    kept = shape.layers if trainer.gradient_checkpointing else shape.layers * 16
    activations = 2 * rows * context * shape.hidden * kept / GB
    lines.append(
        Line(part, "activations", activations, "GB",
             f"2 bytes x {rows} episodes x {context:.0f} tokens x {shape.hidden} x {kept} kept")
    )  # fmt: skip
    layer = 2 * 2 * (shape.parameters - shape.embedding_weights) / shape.layers + 2 * shape.embedding_weights
    logits = 2 * 4 * 1024 * shape.vocabulary
    lines.append(
        Line(part, "gathered layers and logits", (layer + logits) / GB, "GB",
             "bf16 of two layers and the embedding, float32 logits and gradient of 1024 tokens")
    )  # fmt: skip
    return [*lines, _total(part, lines)]


def _sampler_memory(config: TrainConfig, shape: ModelShape) -> list[Line]:
    rollouts = config.rollouts
    if not isinstance(rollouts, VllmServerRollouts | VllmColocateRollouts):
        return []
    part = "vllm, a GPU"
    parallel, share = rollouts.tensor_parallel, rollouts.gpu_memory_utilization
    weights = 2 * shape.parameters / parallel / GB
    room = share * config.trainer.gpu_memory_gb - weights - 3
    tokens = max(0.0, room * GB * parallel / shape.kv_bytes_per_token)
    return [
        Line(part, "weights", weights, "GB", f"2 bytes x {shape.parameters / 1e9:.2f}e9 / {parallel}"),
        Line(part, "room for keys and values", room, "GB",
             f"{share:g} x {config.trainer.gpu_memory_gb:g} - {weights:.1f} - 3 of the engine"),
        Line(part, "episodes at full context, a copy", tokens / config.policy.context_tokens, "episodes",
             f"{tokens:.0f} tokens of {shape.kv_bytes_per_token} bytes / {config.policy.context_tokens}"),
        Line(part, "total", share * config.trainer.gpu_memory_gb, "GB", "what it is allowed to take"),
    ]  # fmt: skip


def _verifier(config: TrainConfig, a: Assumptions) -> list[Line]:
    part = "verifier"
    episodes = config.grpo.prompts_per_update * config.grpo.group_size
    asked = 1.0 if config.specialist is None else 2.0
    calls = episodes * min(a.turns, config.episode.turns) * a.calls_per_turn * asked
    # A config that allows more solver time is for a slower tool: a call takes the same share of its limit.
    seconds = a.verifier_s * config.verification.solver_s / 30
    return [
        Line(part, "calls", calls, "a step",
             f"{episodes} x {min(a.turns, config.episode.turns):g} turns x {a.calls_per_turn:g}"
             + (" x 2 for the specialist's" if asked > 1 else "")),
        Line(part, "core-hours", calls * seconds / 3600, "a step", f"{calls:.0f} x {seconds:g} s / 3600"),
        Line(part, "workers", _workers(config), "cores", "of the verifier nodes and half of the trainer's, or as set"),
    ]  # fmt: skip


def _workers(config: TrainConfig) -> float:
    if config.verification.workers is not None:
        return config.verification.workers
    slurm = config.slurm
    if config.verification.backend != "ray":
        return slurm.cpus_per_node / 2
    return slurm.verifier_nodes * slurm.verifier_cpus + config.trainer.nodes * slurm.cpus_per_node / 2


def _times(
    config: TrainConfig, shape: ModelShape, a: Assumptions, tokens: list[Line], verifier: list[Line]
) -> list[Line]:
    part, grpo, trainer = "time", config.grpo, config.trainer
    utilisation = a.training_utilisation_experts if shape.experts else a.training_utilisation
    passes = (8 if trainer.gradient_checkpointing else 6) * grpo.epochs
    passes += 2 * (grpo.kl > 0) + 2 * (grpo.minibatches > 1 or grpo.epochs > 1)
    flops = passes * shape.active_parameters * tokens[2].value
    training = flops / (trainer.processes * trainer.gpu_tflops * 1e12 * utilisation)
    lines = [
        Line(part, "training", training, "s",
             f"{passes} x {shape.active_parameters / 1e9:.2f}e9 x {tokens[2].value:.0f} tokens / "
             f"({trainer.processes} x {trainer.gpu_tflops:g}e12 x {utilisation:g})"),
        _sampling(config, shape, a, tokens),
        Line(part, "verification", verifier[1].value * 3600 / verifier[2].value, "s",
             f"{verifier[1].value:.2f} core-hours / {verifier[2].value:g} workers"),
    ]  # fmt: skip
    sampling, verification = lines[1].value, lines[2].value
    step = training + max(sampling, verification) + a.rest_s
    hours = grpo.updates * step / 3600
    lines.append(
        Line(part, "step", step, "s", "training + the larger of sampling and verification, which overlap + "
             f"{a.rest_s:g} for the rest")
    )  # fmt: skip
    lines.append(Line(part, "run", hours, "h", f"{grpo.updates} steps, evaluations aside"))
    return lines


def _sampling(config: TrainConfig, shape: ModelShape, a: Assumptions, tokens: list[Line]) -> Line:
    rollouts = config.rollouts
    gpus = (
        rollouts.nodes * rollouts.gpus_per_node
        if isinstance(rollouts, VllmServerRollouts)
        else config.trainer.processes
    )
    parallel = 1 if rollouts.type == "transformers" else rollouts.tensor_parallel
    copies = max(1, gpus // parallel)
    batch = max(1.0, tokens[0].value / copies)
    read = (
        2 * min(shape.parameters, shape.active_parameters * batch) + batch * tokens[3].value * shape.kv_bytes_per_token
    )
    step_s = read / (parallel * a.bandwidth_tb_s * 1e12) + 0.01
    seconds = tokens[1].value / copies / batch * step_s / a.sampling_efficiency
    return Line(
        "time", "sampling", seconds, "s",
        f"{tokens[1].value / tokens[0].value:.0f} tokens one after another x {step_s * 1e3:.1f} ms (weights and cache "
        f"of {batch:.0f} episodes a copy read at {parallel} x {a.bandwidth_tb_s:g} TB/s, 10 ms of the engine) / "
        f"{a.sampling_efficiency:g}; {copies} copies",
    )  # fmt: skip


def _total(part: str, lines: list[Line]) -> Line:
    return Line(part, "total", sum(line.value for line in lines), "GB", " + ".join(line.what for line in lines))


def _warnings(config: TrainConfig, plan: Plan) -> list[str]:
    said = []
    for line in plan.lines:
        if line.what == "total" and config.trainer.gpus and line.value > 0.95 * config.trainer.gpu_memory_gb:
            said.append(f"{line.part}: {line.value:.0f} GB do not fit into {config.trainer.gpu_memory_gb:g} GB")
        if line.what == "room for keys and values" and line.value < 2:
            said.append("vllm has no room for keys and values; raise tensor_parallel or gpu_memory_utilization")
    if plan.value("time", "verification") > plan.value("time", "sampling"):
        said.append("the verifier is slower than sampling and will be waited for; give it more workers")
    return said
