"""GRPO over whole episodes, on TRL's trainer.

TRL owns the optimisation: group-relative advantages (unscorable episodes, whose reward is ``None``, are
left out of their group and get none), the clipped objective over several passes, the k3 KL penalty to the policy
before GRPO, checkpoints. Ours is what surrounds it: rollouts through ``rollout_func`` with exact ids and
masks, the order of the data, checkpoints that are there whole or not at all, and one metrics row per update. With
several processes each plays its share of the episodes, and the first keeps the records of all.

Rejection fine-tuning is the same loop with other advantages: 1 for verified episodes, 0 for all others, so that with
one pass over a batch the gradient is that of supervised fine-tuning on what was sampled and verified.
``rollout_func`` is an experimental interface of TRL, so exactly one version is accepted.
"""

from __future__ import annotations

import logging
import math
import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.distributed
import trl
from datasets import Dataset
from transformers import PrinterCallback, TrainerCallback
from trl.trainer.grpo_config import GRPOConfig

from verulaw_rl.config.machines import LoraConfig, RolloutsConfig, TrainerConfig, VllmServerRollouts
from verulaw_rl.config.train import GrpoConfig
from verulaw_rl.episodes.env import ProofEnv
from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.engine import EpisodeResult, EpisodeTask, RolloutBatch, derive_seed, run_episodes
from verulaw_rl.rollouts.policy import Sampling
from verulaw_rl.rollouts.transformers_policy import TransformersPolicy
from verulaw_rl.suites.instance import Instance
from verulaw_rl.training.folder import make_folder_whole
from verulaw_rl.training.metrics import UpdateMetrics
from verulaw_rl.training.prompts_once import PromptsOnceTrainer
from verulaw_rl.training.sampler import Sampler, trl_settings
from verulaw_rl.training.schedule import instances_of_update
from verulaw_rl.training.stopping import StoppedError, StopRequest
from verulaw_rl.training.threads import beside_verifier
from verulaw_rl.training.weight_sync import watch_transfer

TRL_VERSION = "1.16.0"
CHECKPOINTS_KEPT = 2

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Hooks:
    """What a run does as GRPO goes on."""

    on_rollouts: Callable[[int, RolloutBatch], None]
    """With the update's number (from 1), after its episodes."""
    on_update: Callable[[int, dict[str, Any]], None]
    """With the update's number and its metrics row, before its checkpoint."""


def check_trl() -> None:
    """Refuse any version of TRL but the one whose interface this was written for.

    Raises:
        UserError: another version is installed.
    """
    if trl.__version__ != TRL_VERSION:
        raise UserError(
            f"TRL {trl.__version__} is installed, and training needs exactly {TRL_VERSION} (its rollout interface "
            f"changes between versions); run `pip install trl=={TRL_VERSION}`"
        )


def train_grpo(
    policy: TransformersPolicy,
    make_env: Callable[[], ProofEnv],
    keys: Sequence[str],
    config: GrpoConfig,
    *,
    checkpoints: Path,
    target: Path,
    seed: int,
    run: str,
    hooks: Hooks,
    resume_from: Path | None = None,
    rollout_workers: int = 16,
    threads: int | None = None,
    wandb_project: str | None = None,
    tensorboard: Path | None = None,
    stop: StopRequest | None = None,
    machines: TrainerConfig | None = None,
    rejection: bool = False,
    instances: Mapping[str, Instance] | None = None,
    sampler: Sampler | None = None,
    sampling: RolloutsConfig | None = None,
) -> None:
    """Train the policy's model in place, and save it.

    Args:
        policy: the policy before GRPO, loaded from the folder that its model's config names: the KL penalty's
            reference is loaded from there again, on a resumed run too.
        make_env: a new environment for one episode.
        keys: of the training instances.
        config: the run's settings.
        checkpoints: folder of the checkpoints.
        target: folder of the trained policy, adapters merged into it.
        seed: of the run.
        run: its name, for records and trackers.
        hooks: called as it goes on.
        resume_from: a checkpoint of an earlier attempt.
        rollout_workers: steps of environments at once.
        threads: of arithmetic while episodes are played; unchanged when absent.
        wandb_project: project of Weights & Biases to report to; none when absent.
        tensorboard: folder of its events; none when absent.
        stop: tells that the run is to end, with a checkpoint.
        machines: precision, adapters and processes; one in float32 when absent.
        rejection: learn from verified episodes alone, as they were sampled.
        instances: of the run by key, for metrics by suite and difficulty.
        sampler: gives the policy that samples, where that is not the trainer's own model.
        sampling: the config that the sampler is of.

    Raises:
        StoppedError: the run was told to end; a checkpoint is written.
        UserError: another version of TRL, or every episode of an update could not be scored.
    """
    check_trl()
    os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
    if wandb_project is not None:
        os.environ.setdefault("WANDB_PROJECT", wandb_project)
    # It prints whole prompts whenever an episode is unscorable; the records and metrics say so already.
    logging.getLogger("trl.trainer.grpo_trainer").setLevel(logging.ERROR)
    stop, machines = stop or StopRequest(), machines or TrainerConfig()
    trackers = [name for name, wanted in (("wandb", wandb_project), ("tensorboard", tensorboard)) if wanted is not None]
    if tensorboard is not None:
        os.environ["TENSORBOARD_LOGGING_DIR"] = str(tensorboard)
    rollouts = _Rollouts(policy, make_env, config, seed, run, rollout_workers, threads, hooks, stop, sampler)
    trainer = _Trainer(
        model=policy.model,
        reward_funcs=episode_reward,
        args=arguments(config, checkpoints, seed, run, trackers, machines, trl_settings(sampling) if sampling else {}),
        train_dataset=_tickets(keys, config, seed),
        processing_class=policy.tokenizer,
        rollout_func=rollouts,
        callbacks=[_Update(config, rollouts, hooks, stop, instances or {})],
        peft_config=adapters(machines.lora),
    )
    trainer.rollouts, trainer.rejection = rollouts, rejection
    if isinstance(sampling, VllmServerRollouts) and trainer.use_vllm:
        watch_transfer(trainer.vllm_generation, sampling.sync_timeout_s)
    trainer.remove_callback(PrinterCallback)
    with stop.deferred():
        try:
            trainer.train(resume_from_checkpoint=str(resume_from) if resume_from else None)
        except StoppedError:
            trainer.save_now()
            raise
    if trainer.state.global_step < trainer.state.max_steps:
        stop.check()
    _save(trainer, policy.tokenizer, target, machines)


def _save(trainer: _Trainer, tokenizer: Any, target: Path, machines: TrainerConfig) -> None:
    """Write the trained policy; where it is split over processes, all of them have to take part."""
    if machines.sharding != "none" and trainer.accelerator.num_processes > 1:
        part = target.with_name(target.name + ".sharded")
        trainer.save_model(str(part))
        trainer.accelerator.wait_for_everyone()
        if trainer.accelerator.is_main_process:
            shutil.rmtree(target, ignore_errors=True)
            part.rename(target)
    elif trainer.accelerator.is_main_process:
        model: Any = trainer.accelerator.unwrap_model(trainer.model)
        save_policy(model.merge_and_unload() if machines.lora is not None else model, tokenizer, target)


def save_policy(model: Any, tokenizer: Any, target: Path) -> None:
    """Write a model and its tokenizer into a folder that is there whole or not at all."""

    def save(part: Path) -> None:
        model.save_pretrained(part)
        tokenizer.save_pretrained(part)

    make_folder_whole(target, save)


def adapters(lora: LoraConfig | None) -> Any:
    """What peft makes the adapters from; ``None`` where all weights are trained.

    Raises:
        ModuleNotFoundError: peft is not installed.
    """
    if lora is None:
        return None
    import peft

    modules = lora.target_modules if isinstance(lora.target_modules, str) else list(lora.target_modules)
    return peft.LoraConfig(
        r=lora.rank, lora_alpha=lora.alpha, lora_dropout=lora.dropout, target_modules=modules, task_type="CAUSAL_LM"
    )


def play_update(
    policy: TransformersPolicy,
    make_env: Callable[[], ProofEnv],
    keys: Sequence[str],
    config: GrpoConfig,
    update: int,
    *,
    seed: int,
    run: str,
    threads: int | None = None,
) -> RolloutBatch:
    """The episodes of one update, without training on them."""
    instances = instances_of_update(keys, seed, update, config.prompts_per_update)
    with beside_verifier(threads):
        return run_episodes(
            policy,
            make_env,
            [EpisodeTask(key, sample) for key in instances for sample in range(config.group_size)],
            seed=derive_seed(seed, "rollouts", update),
            sampling=Sampling(config.temperature),
            max_turn_tokens=config.max_turn_tokens,
            run=run,
        )


def episode_reward(*, reward: list[float | None], **others: Any) -> list[float | None]:
    """Rewards for TRL: they came with the rollouts. ``None`` where an episode could not be scored."""
    return reward


def steps_per_update(config: GrpoConfig) -> int:
    """Optimizer steps of one update."""
    return config.epochs * config.minibatches


def checkpoint_of_update(checkpoints: Path, config: GrpoConfig, update: int) -> Path:
    """Folder of the checkpoint after an update."""
    return checkpoints / f"checkpoint-{update * steps_per_update(config)}"


def arguments(
    config: GrpoConfig,
    checkpoints: Path,
    seed: int,
    run: str,
    trackers: list[str],
    machines: TrainerConfig,
    served: Mapping[str, Any],
) -> GRPOConfig:
    """TRL's settings: a batch is the same whatever the number of processes, each of which has its share of it."""
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    episodes = config.prompts_per_update * config.group_size // processes
    minibatch = episodes // config.minibatches
    micro = next(n for n in range(min(config.micro_batch_size, minibatch), 0, -1) if minibatch % n == 0)
    steps = steps_per_update(config)
    return GRPOConfig(
        output_dir=str(checkpoints),
        run_name=run,
        seed=seed,
        data_seed=seed,
        max_steps=config.updates * steps,
        per_device_train_batch_size=micro,
        gradient_accumulation_steps=minibatch // micro,
        steps_per_generation=episodes // micro,
        num_generations=config.group_size,
        num_iterations=config.epochs,
        shuffle_dataset=False,
        max_completion_length=config.max_turn_tokens,
        temperature=config.temperature,
        beta=config.kl,
        epsilon=config.clip,
        epsilon_high=config.clip_high,
        loss_type=config.loss,
        scale_rewards=config.scale_rewards,
        learning_rate=config.learning_rate,
        lr_scheduler_type=config.schedule,
        warmup_steps=config.warmup_updates * steps,
        max_grad_norm=config.max_grad_norm,
        logging_steps=steps,
        logging_first_step=False,
        save_strategy="steps",
        save_steps=config.save_every * steps,
        report_to=trackers or "none",
        disable_tqdm=True,
        bf16=machines.precision == "bf16",
        use_cpu=not machines.gpus and not torch.cuda.is_available(),
        ddp_backend="gloo" if processes > 1 and not machines.gpus else None,
        gradient_checkpointing=machines.gradient_checkpointing,
        dataloader_pin_memory=False,
        **served,
    )


def _tickets(keys: Sequence[str], config: GrpoConfig, seed: int) -> Dataset:
    """The whole schedule as TRL's data set: a "prompt" is a ticket (update, instance); episodes render their own."""
    return Dataset.from_dict(
        {
            "prompt": [
                f"{update}\t{key}"
                for update in range(1, config.updates + 1)
                for key in instances_of_update(keys, seed, update, config.prompts_per_update)
            ]
        }
    )


class _Rollouts:
    """TRL's ``rollout_func``: tickets in, token rows out, one for each ticket, in order."""

    def __init__(
        self,
        policy: TransformersPolicy,
        make_env: Callable[[], ProofEnv],
        config: GrpoConfig,
        seed: int,
        run: str,
        workers: int,
        threads: int | None,
        hooks: Hooks,
        stop: StopRequest,
        sampler: Sampler | None,
    ) -> None:
        self._policy = policy
        self._sampler = sampler
        self._make_env = make_env
        self._config = config
        self._seed = seed
        self._run = run
        self._workers = workers
        self._threads = threads
        self._hooks = hooks
        self._stop = stop
        self.batch: RolloutBatch | None = None
        self.own: Sequence[EpisodeResult] = ()
        """Of this process."""
        self.mismatch_kl: float | None = None
        self.seconds = 0.0

    def __call__(self, prompts: list[str], trainer: Any) -> dict[str, list[Any]]:
        """Play one episode per ticket; tickets come already repeated for each member of a group."""
        started = time.monotonic()
        update = int(prompts[0].partition("\t")[0])
        offset = trainer.accelerator.process_index * len(prompts)
        tasks = [
            EpisodeTask(ticket.partition("\t")[2], (offset + row) % self._config.group_size)
            for row, ticket in enumerate(prompts)
        ]
        self._policy.version = f"update-{update - 1}"
        policy = self._policy if self._sampler is None else self._sampler(trainer, update)
        with beside_verifier(self._threads):
            batch = run_episodes(
                policy,
                self._make_env,
                tasks,
                seed=derive_seed(self._seed, "rollouts", update),
                sampling=Sampling(self._config.temperature),
                max_turn_tokens=self._config.max_turn_tokens,
                workers=self._workers,
                run=self._run,
                on_result=None if trainer.accelerator.num_processes > 1 else lambda result, done: self._stop.check(),
            )
        batch = _of_all_processes(batch)
        if all(r.record.reward is None for r in batch.results):
            first = batch.results[0]
            raise UserError(
                f"update {update}: no episode could be scored ({first.error or first.record.end_reason}, instance "
                f"{first.task.instance!r}); check the verifier with `verulaw-rl doctor`, then resume"
            )
        self.batch, self.seconds = batch, time.monotonic() - started
        self.own = batch.results[offset : offset + len(tasks)]
        self._hooks.on_rollouts(update, batch)
        return self._rows(self.own)

    def _rows(self, results: Sequence[EpisodeResult]) -> dict[str, list[Any]]:
        rows: dict[str, list[Any]] = {k: [] for k in ("prompt_ids", "completion_ids", "logprobs", "env_mask", "reward")}
        for result in results:
            # TRL cannot take an empty completion; an end token that is not trained stands for one.
            empty = not result.completion_ids
            rows["prompt_ids"].append(list(result.prompt_ids))
            rows["completion_ids"].append(
                [self._policy.tokenizer.eos_token_id] if empty else list(result.completion_ids)
            )
            rows["logprobs"].append([0.0] if empty else list(result.logprobs))
            rows["env_mask"].append([0] if empty else list(result.mask))
            rows["reward"].append(result.record.reward)
        return rows


def _of_all_processes(batch: RolloutBatch) -> RolloutBatch:
    """The episodes of every process, in the order of the processes; times are those of the slowest."""
    if not (torch.distributed.is_available() and torch.distributed.is_initialized()):
        return batch
    batches: list[Any] = [None] * torch.distributed.get_world_size()
    torch.distributed.all_gather_object(batches, batch)
    return RolloutBatch(
        tuple(result for b in batches for result in b.results),
        max(b.sampling_s for b in batches),
        max(b.wait_s for b in batches),
        max(b.engine_s for b in batches),
    )


def accepted_advantages(results: Sequence[EpisodeResult]) -> list[float]:
    """1 for verified episodes, 0 for the others."""
    return [float(r.record.reward is not None and r.record.verified) for r in results]


def mismatch_kl(trainer: Sequence[Sequence[float]], results: Sequence[EpisodeResult]) -> float | None:
    """KL from the policy that sampled to the one that is trained, before its first step: 0 but for rounding.

    Args:
        trainer: log-probability of each completion token, by row, with padding behind.
        results: the episodes of these rows, with the log-probabilities of sampling.

    Returns:
        Mean over sampled tokens of ``exp(d) - d - 1``, ``d`` the difference (Schulman's k3); ``None`` without tokens.
    """
    differences = [
        ours - theirs
        for row, result in zip(trainer, results, strict=True)
        for ours, theirs, sampled in zip(row, result.logprobs, result.mask, strict=False)
        if sampled
    ]
    return sum(math.exp(d) - d - 1 for d in differences) / len(differences) if differences else None


class _Trainer(PromptsOnceTrainer):
    """TRL's trainer with checkpoints that appear whole, under their name, or not at all."""

    _staging: str | None = None
    rollouts: _Rollouts
    rejection = False
    """Learn from verified episodes alone, in place of group-relative advantages."""

    def _generate_and_score_completions(self, inputs: Any) -> dict[str, Any]:
        output: dict[str, Any] = super()._generate_and_score_completions(inputs)
        own = self.rollouts.own
        if self.rejection:
            output["advantages"] = torch.tensor(accepted_advantages(own), device=output["advantages"].device)
        if (logprobs := output.get("old_per_token_logps")) is not None:
            self.rollouts.mismatch_kl = mismatch_kl(logprobs.tolist(), own)
        return output

    def _get_output_dir(self, trial: Any) -> str:
        return self._staging or super()._get_output_dir(trial)

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        folder = Path(str(self.args.output_dir))
        staging = folder / "unfinished"
        if self.accelerator.is_main_process:
            shutil.rmtree(staging, ignore_errors=True)
        self.accelerator.wait_for_everyone()
        self._staging = str(staging)
        try:
            super()._save_checkpoint(model, trial)  # type: ignore[no-untyped-call]
        finally:
            self._staging = None
        name = self._checkpoint_name
        self.accelerator.wait_for_everyone()
        if not self.accelerator.is_main_process:
            return
        shutil.rmtree(folder / name, ignore_errors=True)
        (staging / name).rename(folder / name)
        shutil.rmtree(staging, ignore_errors=True)
        for old in checkpoints_in(folder)[:-CHECKPOINTS_KEPT]:
            shutil.rmtree(old)

    def save_now(self) -> None:
        """A checkpoint of the last finished update, from between two: weights do not change while episodes run."""
        if self.state.global_step and not (Path(str(self.args.output_dir)) / self._checkpoint_name).is_dir():
            self._save_checkpoint(self.model, None)

    @property
    def _checkpoint_name(self) -> str:
        return f"checkpoint-{self.state.global_step}"

    def create_model_card(self, *args: Any, **kwargs: Any) -> None:
        """None: a run has its report."""


def checkpoints_in(folder: Path) -> list[Path]:
    """Checkpoints of a folder, oldest first."""
    found = [p for p in folder.glob("checkpoint-*") if p.name.removeprefix("checkpoint-").isdigit()]
    return sorted(found, key=lambda p: int(p.name.removeprefix("checkpoint-")))


class _Update(TrainerCallback):
    """One metrics row per update, from TRL's own figures and the episodes."""

    def __init__(
        self,
        config: GrpoConfig,
        rollouts: _Rollouts,
        hooks: Hooks,
        stop: StopRequest,
        instances: Mapping[str, Instance],
    ) -> None:
        self._steps = steps_per_update(config)
        self._rollouts = rollouts
        self._hooks = hooks
        self._stop = stop
        self._instances = instances
        self._started_s = time.monotonic()

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """The first update's time begins here."""
        self._started_s = time.monotonic()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """A run that is to end does so with a checkpoint after the update under way."""
        if state.global_step % self._steps == 0 and self._agreed():
            control.should_save = control.should_training_stop = True

    def _agreed(self) -> bool:
        """Whether any process was told to end: then all do, at the same step."""
        if not (torch.distributed.is_available() and torch.distributed.is_initialized()):
            return self._stop.requested
        told = torch.tensor([float(self._stop.requested)])
        if torch.distributed.get_backend() == "nccl":
            told = told.cuda()
        torch.distributed.all_reduce(told, op=torch.distributed.ReduceOp.MAX)
        self._stop.requested = bool(told.item())
        return self._stop.requested

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **kwargs: Any) -> None:
        """After the last optimizer step of an update."""
        batch = self._rollouts.batch
        if batch is None or not logs or "entropy" not in logs:
            return
        now = time.monotonic()
        row = UpdateMetrics(
            update=state.global_step // self._steps,
            seconds=now - self._started_s,
            rollout_seconds=self._rollouts.seconds,
            batch=batch,
            logs=logs,
            mismatch_kl=self._rollouts.mismatch_kl,
            instances=self._instances,
        ).to_row()
        self._started_s = now
        self._hooks.on_update(row["update"], row)
