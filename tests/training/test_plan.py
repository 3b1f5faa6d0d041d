"""The estimate's arithmetic, on paper, and against what is published of the models."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from verulaw_rl.cli.main import build_app
from verulaw_rl.config.load import load_config
from verulaw_rl.config.train import PretrainedPolicy, SmallPolicy, TrainConfig
from verulaw_rl.errors import UserError
from verulaw_rl.shipped import shipped_folder
from verulaw_rl.training.plan import Assumptions, plan_of
from verulaw_rl.training.shapes import KNOWN, shape_of

pytestmark = pytest.mark.unit

PAPER = shipped_folder("configs") / "paper"
EIGHT = PAPER / "dafnybench-code_generation-qwen3-8b.yaml"


@pytest.mark.parametrize(
    ("name", "billions", "active"),
    # As the model cards say: 1.7, 4.0, 8.2 and 14.8 billion; 35 of which 3 are active.
    [("Qwen3-1.7B", 1.7, 1.7), ("Qwen3-4B", 4.0, 4.0), ("Qwen3-8B", 8.2, 7.6), ("Qwen3-14B", 14.8, 14.0),
     ("Qwen3.6-35B-A3B", 35.0, 3.0)],
)  # fmt: skip
def test_parameters_are_those_of_the_model_cards(name: str, billions: float, active: float) -> None:
    shape = KNOWN[f"Qwen/{name}"]
    assert shape.parameters / 1e9 == pytest.approx(billions, rel=0.02)
    assert shape.active_parameters / 1e9 == pytest.approx(active, rel=0.06)


def test_a_folder_says_its_shape(tmp_path: Path) -> None:
    config = {"num_attention_heads": 4, "hidden_size": 64, "num_hidden_layers": 2, "intermediate_size": 128,
              "vocab_size": 100, "num_key_value_heads": 1, "tie_word_embeddings": True}  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))
    shape = shape_of(PretrainedPolicy(path=str(tmp_path)))
    # Embedding 6400; a layer: queries and output 2 x 64 x 64, keys and values 2 x 64 x 16, feed-forward 3 x 64 x 128.
    assert shape.parameters == 6400 + 2 * (2 * 4096 + 2 * 1024 + 24576)
    assert shape.kv_bytes_per_token == 2 * 2 * 2 * 16
    small = SmallPolicy(hidden_size=64, intermediate_size=128, layers=2, heads=4, vocabulary=100)
    assert shape_of(small).parameters == shape.parameters
    with pytest.raises(UserError, match="not known"):
        shape_of(PretrainedPolicy(path="nowhere/nothing"))
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(UserError, match="num_attention_heads"):
        shape_of(PretrainedPolicy(path=str(tmp_path)))


def test_the_arithmetic_of_the_8b_run() -> None:
    plan = plan_of(load_config(EIGHT, TrainConfig), Assumptions(prompt_tokens=1000, response_tokens=2000, turns=4))
    # 16 instances x 8; 128 x 2000; 128 x (1000 + 2000 + 4 x 250).
    assert plan.value("tokens", "episodes") == 128
    assert plan.value("tokens", "sampled") == 256_000
    assert plan.value("tokens", "read by the trainer") == 512_000
    # 16 and 2 bytes x 8.19e9 over 8 GPUs.
    assert plan.value("trainer, a GPU", "weights, gradients, optimizer") == pytest.approx(16.4, abs=0.1)
    assert plan.value("trainer, a GPU", "reference policy") == pytest.approx(2.05, abs=0.02)
    # 2 bytes x 4000 tokens x 4096 x 36 layers.
    assert plan.value("trainer, a GPU", "activations") == pytest.approx(1.18, abs=0.01)
    # 0.9 x 80 - 16.4 - 3; a token keeps 2 x 2 bytes x 36 layers x 8 heads x 128 = 147,456.
    assert plan.value("vllm, a GPU", "room for keys and values") == pytest.approx(52.6, abs=0.1)
    assert plan.value("vllm, a GPU", "episodes at full context, a copy") == pytest.approx(
        52.6e9 / 147_456 / 16_384, rel=0.01
    )
    # 128 x 4 x 1.6 calls of 2 s; 64 cores of the verifier node and 32 of the trainer's.
    assert plan.value("verifier", "core-hours") == pytest.approx(128 * 4 * 1.6 * 2 / 3600)
    assert plan.value("time", "verification") == pytest.approx(128 * 4 * 1.6 * 2 / 96)
    # (8 + 2 for the reference + 2 for the policy before) x 7.57e9 x 512,000 tokens on 8 x 312e12 x 0.2.
    assert plan.value("time", "training") == pytest.approx(12 * 7.57e9 * 512_000 / (8 * 312e12 * 0.2), rel=0.01)
    parts = [plan.value("time", what) for what in ("training", "sampling", "verification")]
    assert plan.value("time", "step") == pytest.approx(parts[0] + max(parts[1:]) + 30)
    assert plan.warnings == ()


@pytest.mark.parametrize("path", sorted(PAPER.glob("*.yaml")), ids=lambda p: p.stem)
def test_every_run_of_the_paper_fits(path: Path) -> None:
    plan = plan_of(load_config(path, TrainConfig))
    assert not [w for w in plan.warnings if "fit" in w or "room" in w]


def test_what_does_not_fit_is_said() -> None:
    config = load_config(EIGHT, TrainConfig, ("trainer.sharding=none",))
    assert any("do not fit into 80 GB" in w for w in plan_of(config).warnings)
    config = load_config(EIGHT, TrainConfig, ("verification.workers=1",))
    assert any("verifier is slower" in w for w in plan_of(config).warnings)
    lora = load_config(EIGHT, TrainConfig, ("trainer.lora={rank: 8}", "trainer.sharding=none"))
    assert not any("fit" in w for w in plan_of(lora).warnings)


def test_the_command() -> None:
    run = CliRunner().invoke(build_app("plan"), ["plan", str(EIGHT), "--json", "--assume", "turns=4"])
    assert run.exit_code == 0
    row = json.loads(run.output)
    assert row["assumptions"]["turns"] == 4
    assert {line["part"] for line in row["lines"]} >= {"tokens", "verifier", "time", "vllm, a GPU", "trainer, a GPU"}
    shown = CliRunner().invoke(build_app("plan"), ["plan", str(EIGHT)], env={"COLUMNS": "200"})
    assert "core-hours" in shown.output
    assert "bytes x 8.19e9 / 8" in shown.output
    refused = CliRunner().invoke(build_app("plan"), ["plan", str(EIGHT), "--assume", "luck=1"])
    assert refused.exit_code != 0
