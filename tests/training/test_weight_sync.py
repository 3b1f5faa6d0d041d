"""Weights that did not arrive, servers that never answer, versions that do not go together: each is said."""

import time
from types import SimpleNamespace
from typing import Any

import pytest

from tests.rollouts.factory import tiny_model, tiny_tokenizer
from tests.rollouts.test_vllm_policy import policy_of, server  # noqa: F401 (a fixture)
from verulaw_rl.config.machines import CanaryConfig
from verulaw_rl.errors import UserError
from verulaw_rl.training.weight_sync import (
    AdapterTransfer,
    FolderTransfer,
    canary_tokens,
    check_canary,
    check_versions,
    compare_logprobs,
    trainer_logprobs,
    within,
)

pytestmark = pytest.mark.train


def test_the_canary_sees_other_weights(server: Any) -> None:  # noqa: F811
    tokenizer = tiny_tokenizer()
    model, other = tiny_model(tokenizer), tiny_model(tokenizer, seed=1)

    def answer_with(served: Any) -> None:
        def answer(path: str, row: dict[str, Any]) -> tuple[int, Any]:
            ids = row["prompt"]
            found = [
                None,
                *({str(i): {"logprob": x}} for i, x in zip(ids[1:], trainer_logprobs(served, ids), strict=True)),
            ]
            return 200, {"choices": [{"prompt_logprobs": found}]}

        server.answer = answer

    config = CanaryConfig(tokens=24)
    answer_with(model)
    assert check_canary(model, tokenizer, policy_of(server.url), config) < 1e-6
    answer_with(other)
    with pytest.raises(
        UserError, match=r"samples from other weights; .*lm_head\.weight is tied to embed_tokens\.weight"
    ):
        check_canary(model, tokenizer, policy_of(server.url), config)
    server.answer = lambda path, row: (400, "no such thing")
    with pytest.raises(UserError, match="canary got no log-probabilities"):
        check_canary(model, tokenizer, policy_of(server.url), config)
    assert len(canary_tokens(tokenizer, 24)) == 24


def test_a_mismatch_says_where_to_look() -> None:
    untied = SimpleNamespace(config=SimpleNamespace(tie_word_embeddings=False))
    assert compare_logprobs([-1.0, -2.0], [-1.01, -2.01], "s", untied, 0.05) == pytest.approx(0.01)
    with pytest.raises(UserError, match=r"differs from the trainer by 0\.500 .* token 2 differs most, by 1\.000"):
        compare_logprobs([-1.0, -2.0], [-1.0, -3.0], "s", untied, 0.05)
    with pytest.raises(UserError, match="every token differs"):
        compare_logprobs([-1.0, -2.0], [-2.0, -3.0], "s", untied, 0.05)


def test_a_transfer_that_hangs_is_named() -> None:
    started = time.monotonic()
    with pytest.raises(UserError, match=r"weights: loading into there has not ended within 0\.2 s"):
        within(0.2, "loading into there", lambda: time.sleep(120))
    assert time.monotonic() - started < 60
    with pytest.raises(UserError, match="weights: writing failed: OSError: full"):
        within(5, "writing", lambda: (_ for _ in ()).throw(OSError("full")))
    within(5, "nothing", lambda: None)


def test_a_folder_and_an_adapter_are_loaded(server: Any, tmp_path: Any) -> None:  # noqa: F811
    model = tiny_model(tiny_tokenizer())
    server.answer = lambda path, row: (200, {})
    policy = policy_of(server.url)
    FolderTransfer(policy.servers, tmp_path / "sent", 60).send(model, "update-0")
    assert (tmp_path / "sent" / "model.safetensors").is_file()
    assert [path for path, _ in server.asked] == ["/collective_rpc", "/reset_prefix_cache"]
    assert server.asked[0][1]["kwargs"] == {"weights_path": str(tmp_path / "sent")}
    server.asked.clear()
    way = AdapterTransfer(policy, tmp_path, 60)
    way.send(model, "update-0")
    way.send(model, "update-1")
    assert [path for path, _ in server.asked] == ["/v1/load_lora_adapter"] * 2 + ["/v1/unload_lora_adapter"]
    assert policy.model_name == "policy-update-1"
    server.answer = lambda path, row: (500, "out of memory")
    with pytest.raises(UserError, match="weights: loading into"):
        FolderTransfer(policy.servers, tmp_path / "sent", 60).send(model, "update-1")


def test_versions() -> None:
    for good in ("0.22.0", "0.31.2"):
        check_versions(good)
    for bad in ("0.21.3", "0.33.0", "nonsense"):
        with pytest.raises(UserError, match=r"pip install 'vllm>=0\.22,<=0\.31'"):
            check_versions(bad)
