"""Whole runs with a tiny model over the scripted verifier: phases, learning, resuming, bad endings."""

import errno
import json
import os
import shutil
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import trl

from tests.episodes.factory import Script, evidence_of
from tests.rollouts.factory import SETTINGS, TINY, hand_suite, scripted_services
from verulaw_rl.config.suite import FileSuite
from verulaw_rl.config.train import EvaluationConfig, GrpoConfig, TrackingConfig, TrainConfig, WarmStartConfig
from verulaw_rl.errors import UserError
from verulaw_rl.suites.instance import Suite, save_suite
from verulaw_rl.training.folder import TrainingFolder
from verulaw_rl.training.grpo import checkpoints_in
from verulaw_rl.training.reporter import Silent
from verulaw_rl.training.run import TrainingResult, run_training
from verulaw_rl.training.stopping import StoppedError
from verulaw_rl.verification.verdict import Status

pytestmark = pytest.mark.train

GRPO = GrpoConfig(
    updates=4, prompts_per_update=2, group_size=4, epochs=2, minibatches=2, micro_batch_size=2,
    learning_rate=1e-3, kl=0.01, max_turn_tokens=24, save_every=2,
)  # fmt: skip


@pytest.fixture
def config(tmp_path: Path) -> TrainConfig:
    suite = Suite(
        "hand", tuple(replace(i, split="train" if n else "heldout") for n, i in enumerate(hand_suite(6).instances))
    )
    save_suite(suite, tmp_path / "suite.jsonl")
    return TrainConfig(
        name="trial",
        output=str(tmp_path / "runs"),
        threads=1,
        suite=FileSuite(path=str(tmp_path / "suite.jsonl")),
        policy=TINY,
        episode=SETTINGS,
        warm_start=WarmStartConfig(batches=6, batch_size=4, learning_rate=1e-2, warmup_batches=1),
        grpo=GRPO,
    )


class Stop(Silent):
    """Interrupts GRPO after an update, as Ctrl-C would."""

    def __init__(self, update: int, error: BaseException) -> None:
        self.update = update
        self.error = error
        self.title = ""

    def phase(self, title: str) -> None:
        self.title = title

    def progress(self, done: int, total: int, facts: str = "") -> None:
        if self.title == "GRPO" and done == self.update:
            raise self.error


def run(folder: TrainingFolder, reporter: Any = None, collect: Callable[..., Any] | None = None) -> TrainingResult:
    return run_training(folder, reporter or Silent(), scripted_services(collect))


def rows(folder: TrainingFolder, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder.path / name).read_text().splitlines()]


def played(folder: TrainingFolder) -> list[Any]:
    return [
        (r["update"], r["instance"], r["sampling"]["sample"], r["seed"], [t["text"] for t in r["turns"]], r["tokens"])
        for r in rows(folder, "episodes.jsonl")
    ]


def optimizer_state(checkpoint: Path) -> Any:
    return torch.load(checkpoint / "optimizer.pt", weights_only=True)["state"]


def test_a_run_leaves_everything_in_its_folder(config: TrainConfig) -> None:
    folder = TrainingFolder.create(config)
    result = run(folder)
    assert result.report == folder.path / "report.html"
    assert result.before.episodes == result.after.episodes == 1
    updates = [r for r in rows(folder, "metrics.jsonl") if "update" in r]
    assert [r["update"] for r in updates] == [1, 2, 3, 4]
    for name in (
        "reward", "verified", "probes", "proof_escape", "specification_changed", "invalid_turns", "unscorable",
        "entropy", "kl", "clip_ratio", "seconds/sampling", "seconds/verifier_wait", "seconds/optimise",
    ):  # fmt: skip
        assert all(isinstance(r[name], float) for r in updates if name != "probes"), name
    episodes = rows(folder, "episodes.jsonl")
    assert len(episodes) == 4 * 2 * 4
    assert [r["batch"] for r in rows(folder, "metrics.jsonl") if "warm_start/loss" in r] == [1, 2, 3, 4, 5, 6]
    assert [p.name for p in checkpoints_in(folder.checkpoints)] == ["checkpoint-8", "checkpoint-16"]
    assert not list(folder.path.rglob("*.part"))
    assert not (folder.checkpoints / "unfinished").exists()
    assert (folder.final_policy / "model.safetensors").is_file()
    # A finished run is only reported again.
    before = played(folder)
    again = run(TrainingFolder.open(folder.path))
    assert (again.before, again.after) == (result.before, result.after)
    assert played(folder) == before


def test_a_resumed_run_continues_as_if_nothing_had_happened(config: TrainConfig) -> None:
    whole = TrainingFolder.create(config)
    run(whole)
    stopped = TrainingFolder.create(config)
    with pytest.raises(KeyboardInterrupt, match=f"--resume {stopped.path}"):
        run(stopped, Stop(3, KeyboardInterrupt()))
    # Update 3 was played and is behind the checkpoint of update 2: it is made again.
    assert [r["update"] for r in rows(stopped, "metrics.jsonl") if "update" in r] == [1, 2, 3]
    run(TrainingFolder.open(stopped.path))
    assert played(stopped) == played(whole)
    names = ("update", "reward", "verified", "kl", "entropy", "clip_ratio", "grad_norm", "learning_rate")
    metrics = [[[r[n] for n in names] for r in rows(f, "metrics.jsonl") if "update" in r] for f in (stopped, whole)]
    for resumed, uninterrupted in zip(*metrics, strict=True):
        assert resumed == pytest.approx(uninterrupted, rel=1e-4, abs=1e-7)
    torch.testing.assert_close(
        *(optimizer_state(f.checkpoints / "checkpoint-16") for f in (stopped, whole)), rtol=1e-4, atol=1e-7
    )
    states = [
        json.loads((f.checkpoints / "checkpoint-16" / "trainer_state.json").read_text()) for f in (stopped, whole)
    ]
    for counter in ("global_step", "epoch", "num_input_tokens_seen"):
        assert states[0][counter] == states[1][counter]


def test_grpo_raises_what_is_rewarded(config: TrainConfig) -> None:
    """From a policy that writes the right invariant in a third of its episodes, GRPO makes it write it in most."""
    grpo = {"updates": 16, "group_size": 16, "minibatches": 1, "micro_batch_size": 32}
    grpo |= {"learning_rate": 2e-3, "kl": 0.0, "clip": 0.4}
    warm = config.warm_start.model_copy(update={"batches": 60})
    folder = TrainingFolder.create(config.model_copy(update={"warm_start": warm, "grpo": GRPO.model_copy(update=grpo)}))
    run(folder)
    rewards = [r["reward"] for r in rows(folder, "metrics.jsonl") if "update" in r]
    assert sum(rewards[-4:]) / 4 > sum(rewards[:4]) / 4 + 0.7, rewards


def test_unscorable_episodes_have_no_reward_and_a_run_of_them_stops(config: TrainConfig) -> None:
    def some_fail(instance: Any, candidate: str) -> Any:
        if "Count1" in instance.key or "Count2" in instance.key:
            return evidence_of(instance, candidate, Status.ERROR, ())
        return Script().collect(instance, candidate)

    def always(instance: Any, candidate: str) -> Any:
        raise RuntimeError("no worker is left")

    strong = config.warm_start.model_copy(update={"batches": 60})
    settings = config.model_copy(update={"warm_start": strong})
    folder = TrainingFolder.create(settings)
    run(folder, collect=some_fail)
    unscorable = [r for r in rows(folder, "episodes.jsonl") if r["reward"] is None]
    assert unscorable
    assert {r["instance"] for r in unscorable} <= {"hand/Count1/annotation_repair", "hand/Count2/annotation_repair"}
    assert any(r["unscorable"] > 0 for r in rows(folder, "metrics.jsonl") if "update" in r)
    # Nearly greedy, so that every episode comes to hand in a program.
    settings = settings.model_copy(update={"grpo": GRPO.model_copy(update={"temperature": 0.01})})
    with pytest.raises(UserError, match=r"update 1: no episode could be scored .*no worker is left"):
        run(TrainingFolder.create(settings), collect=always)


def test_a_learning_rate_of_nearly_nothing_changes_nothing(config: TrainConfig) -> None:
    """The canary: rollouts and trainer agree on every log-probability, so no ratio is clipped and no KL appears."""
    folder = TrainingFolder.create(config.model_copy(update={"grpo": GRPO.model_copy(update={"learning_rate": 1e-12})}))
    run(folder)
    for row in (r for r in rows(folder, "metrics.jsonl") if "update" in r):
        assert row["clip_ratio"] == 0.0
        assert row["kl"] == pytest.approx(0.0, abs=1e-6)


def test_a_full_disk_ends_in_one_line_and_a_folder_that_resumes(config: TrainConfig) -> None:
    folder = TrainingFolder.create(config)
    full = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(UserError, match=f"the disk is full.*--resume {folder.path}"):
        run(folder, Stop(3, full))
    run(TrainingFolder.open(folder.path))
    assert [r["update"] for r in rows(folder, "metrics.jsonl") if "update" in r] == [1, 2, 3, 4]


def test_a_full_disk_that_torch_does_not_name_is_known_by_its_free_space(
    config: TrainConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = TrainingFolder.create(config)
    # What torch 2.13.0 raised on a full tmpfs.
    error = RuntimeError("[enforce fail at inline_container.cc:672] . unexpected pos 425152 vs 425040")
    with pytest.raises(RuntimeError, match="unexpected pos"):
        run(folder, Stop(1, error))
    usage = shutil.disk_usage(folder.path)._replace(free=0)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(UserError, match="the disk is full"):
        run(TrainingFolder.open(folder.path), Stop(2, error))


def test_another_trl_is_refused(config: TrainConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trl, "__version__", "1.17.0")
    with pytest.raises(UserError, match=r"TRL 1\.17\.0 is installed.*exactly 1\.16\.0"):
        run(TrainingFolder.create(config))


def test_held_out_rates_during_training(config: TrainConfig) -> None:
    settings = config.model_copy(update={"evaluation": EvaluationConfig(every=2)})
    folder = TrainingFolder.create(settings)
    run(folder)
    assert [r["update"] for r in rows(folder, "metrics.jsonl") if "heldout/verified" in r] == [2]


def test_wandb_when_asked(config: TrainConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    monkeypatch.setenv("WANDB_SILENT", "true")
    run(TrainingFolder.create(config.model_copy(update={"tracking": TrackingConfig(wandb=True)})))
    assert list((tmp_path / "wandb").glob("offline-run-*/*.wandb"))


class Signal(Stop):
    """Sends this process a signal after an update, as a job near its end gets it."""

    def progress(self, done: int, total: int, facts: str = "") -> None:
        if self.title == "GRPO" and done == self.update:
            os.kill(os.getpid(), signal.SIGUSR1)


def test_a_run_told_to_end_loses_no_finished_update(config: TrainConfig) -> None:
    whole = TrainingFolder.create(config)
    run(whole)
    stopped = TrainingFolder.create(config)
    with pytest.raises(StoppedError):
        run(stopped, Signal(3, RuntimeError()))
    # Checkpoints are written every two updates, and this one because it was told to end: update 4 is not begun twice.
    assert [p.name for p in checkpoints_in(stopped.checkpoints)] == ["checkpoint-8", "checkpoint-12"]
    run(TrainingFolder.open(stopped.path))
    assert played(stopped) == played(whole)
    torch.testing.assert_close(
        *(optimizer_state(f.checkpoints / "checkpoint-16") for f in (stopped, whole)), rtol=1e-4, atol=1e-7
    )
