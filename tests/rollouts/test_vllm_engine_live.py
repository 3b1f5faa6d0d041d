"""A tiny model on vLLM in the sampling process: ids and log-probabilities are those of the model.

vLLM has an environment of its own here, so the sampling process is one of that environment.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.rollouts.factory import tiny_tokenizer
from tests.rollouts.vllm import VLLM, VLLM_TINY, needs_vllm
from verulaw_rl.training.small_policy import initialise_model
from verulaw_rl.training.weight_sync import canary_tokens, trainer_logprobs

pytestmark = [pytest.mark.train, needs_vllm]

SAMPLER = """
import json, sys
from transformers import AutoTokenizer
from vllm import LLM
from verulaw_rl.rollouts.policy import Prompt, Sampling
from verulaw_rl.rollouts.vllm_policy import VllmEnginePolicy

if __name__ == "__main__":
    folder, prompt, out = sys.argv[1], tuple(json.loads(sys.argv[2])), sys.argv[3]
    engine = LLM(folder, dtype="float32", max_model_len=512, logprobs_mode="processed_logprobs")
    policy = VllmEnginePolicy(engine, AutoTokenizer.from_pretrained(folder), name="p", context_tokens=512)
    done = []
    prompts = [Prompt(prompt, 12, 0), Prompt(prompt[:5], 7, 1)]
    found = policy.generate(prompts, Sampling(temperature=0.0), lambda k, g: done.append(k))
    rows = [{"ids": g.token_ids, "logprobs": g.logprobs, "finished": g.finished} for g in found]
    with open(out, "w") as f:
        json.dump({"rows": rows, "done": done}, f)
"""


def test_an_engine_in_the_process_samples_from_the_model(tmp_path: Path, repository: Path) -> None:
    tokenizer = tiny_tokenizer()
    model = initialise_model(VLLM_TINY, tokenizer, 0).eval()
    tokenizer.save_pretrained(tmp_path / "model")
    model.save_pretrained(tmp_path / "model")
    (tmp_path / "sampler.py").write_text(SAMPLER)
    prompt = canary_tokens(tokenizer, 20)
    out = tmp_path / "out.json"
    command = [str(VLLM.with_name("python")), "sampler.py", "model", json.dumps(prompt), str(out)]
    environment = os.environ | {"VLLM_CPU_KVCACHE_SPACE": "1", "PYTHONPATH": str(repository)}
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=400)
    assert ran.returncode == 0, ran.stderr[-3000:]
    answer = json.loads(out.read_text())
    assert sorted(answer["done"]) == [0, 1]
    for given, row in zip((prompt, prompt[:5]), answer["rows"], strict=True):
        expected = trainer_logprobs(model, [*given, *row["ids"]])[len(given) - 1 :]
        assert row["logprobs"] == pytest.approx(expected, abs=1e-3)
    assert len(answer["rows"][1]["ids"]) <= 7
