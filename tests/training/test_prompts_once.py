"""The prompts-once trainer computes what TRL's own trainer computes."""

import random
from pathlib import Path
from typing import Any

import pytest
import torch
from datasets import Dataset
from trl.trainer.grpo_config import GRPOConfig
from trl.trainer.grpo_trainer import GRPOTrainer

from tests.rollouts.factory import tiny_model, tiny_tokenizer
from verulaw_rl.training.prompts_once import PromptsOnceTrainer

pytestmark = pytest.mark.train


def trainer_of(kind: type[GRPOTrainer], folder: Path, tokenizer: Any) -> GRPOTrainer:
    arguments = GRPOConfig(
        output_dir=str(folder), per_device_train_batch_size=4, num_generations=4, temperature=0.8,
        report_to="none", bf16=False, gradient_checkpointing=False,
    )  # fmt: skip
    return kind(
        model=tiny_model(tokenizer), reward_funcs=lambda **_: [], args=arguments, processing_class=tokenizer,
        train_dataset=Dataset.from_dict({"prompt": ["x"] * 4}), rollout_func=lambda *_: {},
    )  # fmt: skip


@pytest.mark.parametrize("chunk", [None, 3])
def test_logprobs_entropies_and_gradients_are_trls(tmp_path: Path, chunk: int | None) -> None:
    tokenizer = tiny_tokenizer()
    rng = random.Random(0)
    prompts = [[rng.randrange(3, 300) for _ in range(length)] for length in (30, 12, 30, 1)]
    rows = [(prompts[n % 4], [rng.randrange(3, 300) for _ in range(rng.randrange(1, 20))]) for n in range(10)]
    width, keep = max(len(p) for p, _ in rows), max(len(c) for _, c in rows)
    ids, mask = torch.zeros((10, width + keep), dtype=torch.long), torch.zeros((10, width + keep), dtype=torch.long)
    for row, (prompt, completion) in enumerate(rows):
        ids[row, width - len(prompt) : width + len(completion)] = torch.tensor([*prompt, *completion])
        mask[row, width - len(prompt) : width + len(completion)] = 1
    weights = torch.randn(10, keep, generator=torch.Generator().manual_seed(0)) * mask[:, -keep:]
    found = []
    for kind in (GRPOTrainer, PromptsOnceTrainer):
        trainer = trainer_of(kind, tmp_path, tokenizer)
        logps, entropies, _ = trainer._get_per_token_logps_and_entropies(
            trainer.model, ids, mask, keep, chunk, compute_entropy=True
        )
        (logps * weights).sum().backward()
        gradients = torch.cat([p.grad.flatten() for p in trainer.model.parameters()])
        real = mask[:, -keep:].bool()
        found.append((logps[real], entropies[real], gradients))
    for expected, ours in zip(*found, strict=True):
        torch.testing.assert_close(ours, expected, atol=1e-4, rtol=1e-3)
