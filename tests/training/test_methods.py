"""The other ways to learn from the same episodes: verified ones alone, ranked pairs, adapters; and what is measured."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from tests.episodes.factory import Script
from tests.rollouts.factory import (
    RIGHT,
    SETTINGS,
    WRONG,
    Spelling,
    env_maker,
    hand_suite,
    scripted_services,
    tiny_tokenizer,
)
from tests.training.test_run import GRPO, config, played, rows, run  # noqa: F401 (a fixture)
from verulaw_rl.config.machines import LoraConfig, TrainerConfig
from verulaw_rl.config.train import DpoConfig, TrackingConfig, TrainConfig
from verulaw_rl.rollouts.engine import EpisodeResult, EpisodeTask, run_episodes
from verulaw_rl.rollouts.policy import Sampling
from verulaw_rl.training.dpo import pairs_of
from verulaw_rl.training.folder import TrainingFolder
from verulaw_rl.training.grpo import accepted_advantages, mismatch_kl
from verulaw_rl.training.metrics import episode_metrics, waits_for

pytestmark = pytest.mark.train


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "model.safetensors")


@pytest.fixture(scope="module")
def group() -> list[EpisodeResult]:
    """Four episodes of one instance with rewards 3, 3/8 less, ... by hand."""
    tokenizer = tiny_tokenizer()
    suite = hand_suite(1)
    results = []
    for sample, reply in enumerate((WRONG, RIGHT, "nothing at all", WRONG)):
        batch = run_episodes(
            Spelling(tokenizer, [reply]), env_maker(suite, scripted_services(), SETTINGS),
            [EpisodeTask("hand/Count0/annotation_repair", sample)], seed=0, sampling=Sampling(), max_turn_tokens=64,
        )  # fmt: skip
        results += batch.results
    return results


def test_pairs_prefer_what_earned_more(group: list[EpisodeResult]) -> None:
    rewards = [r.record.reward for r in group]
    assert rewards[1] == 3.0
    assert rewards[2] == -1.75
    assert 0 < rewards[0] < 1
    (pair,) = pairs_of(group, DpoConfig(pairs_per_group=4))
    assert (pair.chosen_ids, pair.rejected_ids) == (group[1].completion_ids, group[2].completion_ids)
    assert (pair.chosen_mask, pair.rejected_mask) == (group[1].mask, group[2].mask)
    assert len(pairs_of(group, DpoConfig(min_gap=5.0))) == 0
    unscorable = [replace(r, record=replace(r.record, reward=None)) for r in group]
    assert pairs_of(unscorable, DpoConfig()) == []


def test_rejection_accepts_the_verified(group: list[EpisodeResult]) -> None:
    assert accepted_advantages(group) == [0.0, 1.0, 0.0, 0.0]


def test_the_mismatch_is_the_k3_estimate(group: list[EpisodeResult]) -> None:
    same = [list(r.logprobs) for r in group]
    assert mismatch_kl(same, group) == 0.0
    shifted = [[x + 0.1 for x in row] + [9.0] for row in same]
    assert mismatch_kl(shifted, group) == pytest.approx(math.exp(0.1) - 1.1)
    assert mismatch_kl([], []) is None


def test_what_waits() -> None:
    assert waits_for(5, 3, 1) == "trainer"
    assert waits_for(1, 3, 2) == "sampling"
    assert waits_for(1, 2, 3) == "verifier"


def test_metrics_of_submissions(group: list[EpisodeResult]) -> None:
    from verulaw_rl.rollouts.engine import RolloutBatch

    row = episode_metrics(RolloutBatch(tuple(group), 0.0, 0.0, 0.0))
    assert row["submissions"] == 0.75
    assert row["first_verified"] == 0.25
    assert (row["retried"], row["recovered"]) == (0.0, 0.0)
    assert row["groups_unscorable"] == 0.0


def learning(config: TrainConfig, **more: Any) -> TrainConfig:  # noqa: F811
    return config.model_copy(update={"grpo": GRPO.model_copy(update={"updates": 2, "kl": 0.0}), **more})


def test_rejection_learns_from_verified_episodes_only(config: TrainConfig) -> None:  # noqa: F811
    def never(instance: Any, candidate: str) -> Any:
        return Script().collect(instance, candidate.replace("invariant i <= n", "invariant i < n"))

    folder = TrainingFolder.create(learning(config, method="rejection"))
    run(folder, collect=never)
    start, final = weights(folder.warm_policy), weights(folder.final_policy)
    assert all(torch.equal(start[name], final[name]) for name in start), "nothing was verified, so nothing is learnt"
    updates = [r for r in rows(folder, "metrics.jsonl") if "update" in r]
    assert all(abs(r["mismatch_kl"]) < 1e-6 for r in updates)
    assert all(r["verifier/candidates"] >= 0 and r["memory/peak_rss_mb"] < 2048 for r in updates)
    assert all("reward/task=annotation_repair" in r and "reward/suite=hand" in r for r in updates)


def test_dpo_from_ranked_episodes(config: TrainConfig) -> None:  # noqa: F811
    warm = config.warm_start.model_copy(update={"batches": 60})
    dpo = DpoConfig(batch_size=2, learning_rate=1e-3, min_gap=0.05)
    settings = learning(config, method="dpo", dpo=dpo, warm_start=warm)
    folder = TrainingFolder.create(settings)
    run(folder)
    assert [r["update"] for r in rows(folder, "metrics.jsonl") if "update" in r] == [1, 2]
    kept = [pair for row in rows(folder, "pairs.jsonl") for pair in row["pairs"]]
    assert kept
    assert len(rows(folder, "episodes.jsonl")) == 2 * 2 * 4
    start, final = weights(folder.warm_policy), weights(folder.final_policy)
    assert any(not torch.equal(start[name], final[name]) for name in start)


def test_adapters_are_merged_into_the_final_policy(config: TrainConfig) -> None:  # noqa: F811
    pytest.importorskip("peft", reason="peft is not installed: pip install 'verulaw_rl[lora]'")
    pytest.importorskip("tensorboard", reason="tensorboard is not installed: pip install 'verulaw_rl[tensorboard]'")
    trainer = TrainerConfig(lora=LoraConfig(rank=4, alpha=8), precision="bf16", gradient_checkpointing=True)
    # As warm as for pairs above: episodes that all score the same would move no weight.
    warm = config.warm_start.model_copy(update={"batches": 60})
    settings = learning(config, trainer=trainer, warm_start=warm, tracking=TrackingConfig(tensorboard=True))
    folder = TrainingFolder.create(settings.model_copy(update={"grpo": settings.grpo.model_copy(update={"kl": 0.01})}))
    run(folder)
    start, final = weights(folder.warm_policy), weights(folder.final_policy)
    assert start.keys() == final.keys(), "no adapter is left beside the weights"
    changed = {name for name in start if not torch.equal(start[name], final[name])}
    assert changed
    assert all("proj" in name for name in changed)
    assert list((folder.path / "tensorboard").glob("**/events*"))
    assert json.loads((folder.path / "state.json").read_text())["phases"]["grpo"]["updates"] == 2
