"""A tiny model on a live vLLM server: ids and log-probabilities are those of the model, before and after a transfer."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.rollouts.factory import tiny_tokenizer
from tests.rollouts.vllm import VLLM_TINY, needs_vllm, vllm_server
from verulaw_rl.config.machines import CanaryConfig, VllmServerRollouts
from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.policy import Prompt, Sampling
from verulaw_rl.rollouts.vllm_policy import VllmServerPolicy
from verulaw_rl.training.small_policy import initialise_model
from verulaw_rl.training.weight_sync import (
    AdapterTransfer,
    FolderTransfer,
    canary_tokens,
    check_canary,
    trainer_logprobs,
)

pytestmark = [pytest.mark.train, needs_vllm]

CANARY = CanaryConfig(tokens=40, tolerance=0.002)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("model")
    tokenizer = tiny_tokenizer()
    tokenizer.save_pretrained(folder)
    untied(tokenizer, 0).save_pretrained(folder)
    with vllm_server(folder) as url:
        yield url


def untied(tokenizer: Any, seed: int) -> Any:
    """A model whose output layer has weights of its own.

    With tied ones vLLM 0.31 on processors keeps the output layer packed from the first weights when it loads others, so
    its canary stops a run there: a difference of 0.17 in mean log-probability for these two seeds.
    """
    model = initialise_model(VLLM_TINY, tokenizer, seed).eval()
    model.config.tie_word_embeddings = False
    model.lm_head.weight = torch.nn.Parameter(model.lm_head.weight.detach().clone())
    return model


def served_policy(url: str, tokenizer: Any) -> VllmServerPolicy:
    return VllmServerPolicy([url], VllmServerRollouts(), tokenizer, name="p", context_tokens=512)


def test_tokens_and_logprobs_are_the_models(served: str) -> None:
    tokenizer = tiny_tokenizer()
    model = untied(tokenizer, 0)
    policy = served_policy(served, tokenizer)
    prompt = tuple(canary_tokens(tokenizer, 20))
    (greedy,) = policy.generate([Prompt(prompt, 12, 0)], Sampling(temperature=0.0))
    expected = trainer_logprobs(model, [*prompt, *greedy.token_ids])[len(prompt) - 1 :]
    assert list(greedy.logprobs) == pytest.approx(expected, abs=1e-3)
    assert policy.servers[0].prompt_logprobs("policy", prompt) == pytest.approx(
        trainer_logprobs(model, prompt), abs=1e-3
    )


def test_a_folder_brings_other_weights(served: str, tmp_path: Path) -> None:
    tokenizer = tiny_tokenizer()
    policy = served_policy(served, tokenizer)
    transfer = FolderTransfer(policy.servers, tmp_path, timeout_s=120)
    for seed in (0, 1):
        model = untied(tokenizer, seed)
        transfer.send(model, str(seed))
        assert check_canary(model, tokenizer, policy, CANARY) < CANARY.tolerance
    with pytest.raises(UserError, match="samples from other weights"):
        check_canary(untied(tokenizer, 0), tokenizer, policy, CANARY)


def test_an_adapter_follows_another(served: str, tmp_path: Path) -> None:
    peft = pytest.importorskip("peft")
    tokenizer = tiny_tokenizer()
    policy = served_policy(served, tokenizer)
    model = untied(tokenizer, 0)
    FolderTransfer(policy.servers, tmp_path / "base", timeout_s=120).send(model, "0")
    adapted = peft.get_peft_model(model, peft.LoraConfig(r=8, lora_alpha=16, target_modules="all-linear")).eval()
    transfer = AdapterTransfer(policy, tmp_path / "adapters", timeout_s=120)
    for version in ("1", "2"):
        torch.manual_seed(int(version))
        for name, weight in adapted.named_parameters():
            if "lora_B" in name:
                torch.nn.init.normal_(weight, std=0.5)
        transfer.send(adapted, version)
        assert policy.model_name == f"policy-{version}"
        assert check_canary(adapted, tokenizer, policy, CANARY) < CANARY.tolerance
    with adapted.disable_adapter(), pytest.raises(UserError, match="samples from other weights"):
        check_canary(adapted, tokenizer, policy, CANARY)
