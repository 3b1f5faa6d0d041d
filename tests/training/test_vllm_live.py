"""GRPO on a tiny model whose episodes a live vLLM samples."""

from pathlib import Path

import pytest

from tests.rollouts.vllm import VLLM_TINY, needs_vllm, vllm_server
from tests.training.test_methods import learning
from tests.training.test_run import config, rows, run  # noqa: F401 (a fixture)
from verulaw_rl.config.machines import CanaryConfig, LoraConfig, TrainerConfig, VllmServerRollouts
from verulaw_rl.config.train import PretrainedPolicy, TrainConfig, WarmStartConfig
from verulaw_rl.training.folder import TrainingFolder

pytestmark = [pytest.mark.train, needs_vllm]


def test_adapters_train_on_episodes_of_a_server(config: TrainConfig, tmp_path: Path) -> None:  # noqa: F811
    pytest.importorskip("peft", reason="peft is not installed: pip install 'verulaw_rl[lora]'")
    warm = config.warm_start.model_copy(update={"batches": 60})
    first = TrainingFolder.create(learning(config, policy=VLLM_TINY, warm_start=warm))
    run(first)
    with vllm_server(first.final_policy) as url:
        settings = learning(
            config,
            name="served",
            policy=PretrainedPolicy(path=str(first.final_policy), context_tokens=512),
            warm_start=WarmStartConfig(),
            trainer=TrainerConfig(lora=LoraConfig(rank=8, alpha=16)),
            rollouts=VllmServerRollouts(base_urls=(url,), sync="lora"),
            canary=CanaryConfig(tolerance=0.002),
        )
        folder = TrainingFolder.create(settings)
        run(folder)
    updates = [r for r in rows(folder, "metrics.jsonl") if "update" in r]
    assert [r["update"] for r in updates] == [1, 2]
    assert all(r["mismatch_kl"] < 1e-4 and r["unscorable"] == 0 for r in updates)
    assert len(rows(folder, "episodes.jsonl")) == 2 * 2 * 4
