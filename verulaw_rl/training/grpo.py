"""GRPO over whole episodes, on TRL's trainer.

TRL owns the optimisation: group-relative advantages (unscorable episodes, whose reward is ``None``, are
left out of their group and get none), the clipped objective over several passes, the k3 KL penalty to the policy
before GRPO, checkpoints. Ours is what surrounds it: rollouts through ``rollout_func`` with exact ids and
masks, the order of the data, checkpoints that are there whole or not at all, and one metrics row per update.
``rollout_func`` is an experimental interface of TRL, so exactly one version is accepted.
"""

from __future__ import annotations

import logging
import os
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import trl
from datasets import Dataset
from transformers import PrinterCallback, TrainerCallback
from trl.trainer.grpo_config import GRPOConfig

from verulaw_rl.config.train import GrpoConfig
from verulaw_rl.episodes.env import ProofEnv
from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.engine import EpisodeTask, RolloutBatch, derive_seed, run_episodes
from verulaw_rl.rollouts.policy import Sampling
from verulaw_rl.rollouts.transformers_policy import TransformersPolicy
from verulaw_rl.training.metrics import UpdateMetrics
from verulaw_rl.training.prompts_once import PromptsOnceTrainer
from verulaw_rl.training.schedule import instances_of_update
from verulaw_rl.training.stopping import StoppedError, StopRequest
from verulaw_rl.training.threads import beside_verifier

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
    seed: int,
    run: str,
    hooks: Hooks,
    resume_from: Path | None = None,
    rollout_workers: int = 16,
    threads: int | None = None,
    wandb_project: str | None = None,
    stop: StopRequest | None = None,
) -> None:
    """Train the policy's model in place.

    Args:
        policy: the policy before GRPO, loaded from the folder that its model's config names: the KL penalty's
            reference is loaded from there again, on a resumed run too.
        make_env: a new environment for one episode.
        keys: of the training instances.
        config: the run's settings.
        checkpoints: folder of the checkpoints.
        seed: of the run.
        run: its name, for records and trackers.
        hooks: called as it goes on.
        resume_from: a checkpoint of an earlier attempt.
        rollout_workers: steps of environments at once.
        threads: of arithmetic while episodes are played; unchanged when absent.
        wandb_project: project of Weights & Biases to report to; none when absent.
        stop: tells that the run is to end, with a checkpoint.

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
    stop = stop or StopRequest()
    rollouts = _Rollouts(policy, make_env, config, seed, run, rollout_workers, threads, hooks, stop)
    trainer = _Trainer(
        model=policy.model,
        reward_funcs=episode_reward,
        args=_arguments(config, checkpoints, seed, run, wandb_project is not None),
        train_dataset=_tickets(keys, config, seed),
        processing_class=policy.tokenizer,
        rollout_func=rollouts,
        callbacks=[_Update(config, rollouts, hooks, stop)],
    )
    trainer.remove_callback(PrinterCallback)
    with stop.deferred():
        try:
            trainer.train(resume_from_checkpoint=str(resume_from) if resume_from else None)
        except StoppedError:
            trainer.save_now()
            raise
    if trainer.state.global_step < trainer.state.max_steps:
        stop.check()


def episode_reward(*, reward: list[float | None], **others: Any) -> list[float | None]:
    """Rewards for TRL: they came with the rollouts. ``None`` where an episode could not be scored."""
    return reward


def steps_per_update(config: GrpoConfig) -> int:
    """Optimizer steps of one update."""
    return config.epochs * config.minibatches


def checkpoint_of_update(checkpoints: Path, config: GrpoConfig, update: int) -> Path:
    """Folder of the checkpoint after an update."""
    return checkpoints / f"checkpoint-{update * steps_per_update(config)}"


def _arguments(config: GrpoConfig, checkpoints: Path, seed: int, run: str, wandb: bool) -> GRPOConfig:
    episodes = config.prompts_per_update * config.group_size
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
        report_to="wandb" if wandb else "none",
        disable_tqdm=True,
        bf16=False,
        gradient_checkpointing=False,
        dataloader_pin_memory=False,
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
    ) -> None:
        self._policy = policy
        self._make_env = make_env
        self._config = config
        self._seed = seed
        self._run = run
        self._workers = workers
        self._threads = threads
        self._hooks = hooks
        self._stop = stop
        self.batch: RolloutBatch | None = None
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
        with beside_verifier(self._threads):
            batch = run_episodes(
                self._policy,
                self._make_env,
                tasks,
                seed=derive_seed(self._seed, "rollouts", update),
                sampling=Sampling(self._config.temperature),
                max_turn_tokens=self._config.max_turn_tokens,
                workers=self._workers,
                run=self._run,
                on_result=lambda result, done: self._stop.check(),
            )
        if all(r.record.reward is None for r in batch.results):
            first = batch.results[0]
            raise UserError(
                f"update {update}: no episode could be scored ({first.error or first.record.end_reason}, instance "
                f"{first.task.instance!r}); check the verifier with `verulaw-rl doctor`, then resume"
            )
        self.batch, self.seconds = batch, time.monotonic() - started
        self._hooks.on_rollouts(update, batch)
        return self._rows(batch)

    def _rows(self, batch: RolloutBatch) -> dict[str, list[Any]]:
        rows: dict[str, list[Any]] = {k: [] for k in ("prompt_ids", "completion_ids", "logprobs", "env_mask", "reward")}
        for result in batch.results:
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


class _Trainer(PromptsOnceTrainer):
    """TRL's trainer with checkpoints that appear whole, under their name, or not at all."""

    _staging: str | None = None

    def _get_output_dir(self, trial: Any) -> str:
        return self._staging or super()._get_output_dir(trial)

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        folder = Path(str(self.args.output_dir))
        staging = folder / "unfinished"
        shutil.rmtree(staging, ignore_errors=True)
        self._staging = str(staging)
        try:
            super()._save_checkpoint(model, trial)  # type: ignore[no-untyped-call]
        finally:
            self._staging = None
        name = self._name
        shutil.rmtree(folder / name, ignore_errors=True)
        (staging / name).rename(folder / name)
        shutil.rmtree(staging, ignore_errors=True)
        for old in checkpoints_in(folder)[:-CHECKPOINTS_KEPT]:
            shutil.rmtree(old)

    def save_now(self) -> None:
        """A checkpoint of the last finished update, from between two: weights do not change while episodes run."""
        if self.state.global_step and not (Path(str(self.args.output_dir)) / self._name).is_dir():
            self._save_checkpoint(self.model, None)

    @property
    def _name(self) -> str:
        return f"checkpoint-{self.state.global_step}"

    def create_model_card(self, *args: Any, **kwargs: Any) -> None:
        """None: a run has its report."""


def checkpoints_in(folder: Path) -> list[Path]:
    """Checkpoints of a folder, oldest first."""
    found = [p for p in folder.glob("checkpoint-*") if p.name.removeprefix("checkpoint-").isdigit()]
    return sorted(found, key=lambda p: int(p.name.removeprefix("checkpoint-")))


class _Update(TrainerCallback):
    """One metrics row per update, from TRL's own figures and the episodes."""

    def __init__(self, config: GrpoConfig, rollouts: _Rollouts, hooks: Hooks, stop: StopRequest) -> None:
        self._steps = steps_per_update(config)
        self._rollouts = rollouts
        self._hooks = hooks
        self._stop = stop
        self._started_s = time.monotonic()

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """The first update's time begins here."""
        self._started_s = time.monotonic()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """A run that is to end does so with a checkpoint after the update under way."""
        if self._stop.requested and state.global_step % self._steps == 0:
            control.should_save = control.should_training_stop = True

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
        ).to_row()
        self._started_s = now
        self._hooks.on_update(row["update"], row)
