"""Every shipped config is one that a user can launch, and every key of a config says what it is."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from verulaw_rl.config.base import ConfigModel
from verulaw_rl.config.load import load_config
from verulaw_rl.config.suite import FileSuite
from verulaw_rl.config.train import TrainConfig
from verulaw_rl.errors import UserError
from verulaw_rl.evidence.reward import load_reward
from verulaw_rl.shipped import find_file, shipped_folder

pytestmark = pytest.mark.unit

FOLDER = shipped_folder("configs")
PIECES = ("parts", "accelerate")
"""Folders of files that are no runs by themselves."""
CONFIGS = sorted(p for p in FOLDER.glob("**/*.y*ml") if p.relative_to(FOLDER).parts[0] not in PIECES)
COMPARISONS = sorted((FOLDER / "comparisons").glob("*.yaml"))
MODELS = ("qwen3-1.7b", "qwen3-4b", "qwen3-8b", "qwen3-14b", "qwen3.6-35b-a3b")


def every_model(model: type[ConfigModel] = ConfigModel) -> list[type[BaseModel]]:
    return [found for child in model.__subclasses__() for found in (child, *every_model(child))]


def test_there_are_configs() -> None:
    assert "quickstart.yaml" in [path.name for path in CONFIGS]


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_config_is_valid_and_its_files_are_there(path: Path) -> None:
    config = load_config(path, TrainConfig)
    assert find_file(config.episode.environment, "envs").is_file()
    load_reward(config.reward.file, config.reward.weights)
    template = getattr(config.policy, "chat_template", None)
    assert template is None or find_file(template, "configs").is_file()
    assert path.stem == config.name


def test_every_run_of_the_paper_is_there() -> None:
    tasks = ("annotation_repair", "code_generation", "code_generation-specialist")
    wanted = {f"{s}-{t}-{m}" for s in ("dafnybench", "sweproof") for t in tasks for m in MODELS}
    assert {path.stem for path in (FOLDER / "paper").glob("*.yaml")} == wanted


def test_every_part_is_used() -> None:
    named = {
        (path.parent / base).resolve()
        for path in FOLDER.glob("**/*.yaml")
        for bases in [(yaml.safe_load(path.read_text()) or {}).get("base", [])]
        for base in ([bases] if isinstance(bases, str) else bases)
    }
    parts = set((FOLDER / "parts").resolve().glob("**/*.yaml"))
    assert parts <= named


def flat(data: Any, above: str = "") -> dict[str, Any]:
    if not isinstance(data, dict):
        return {above: data}
    return {key: value for name, inner in data.items() for key, value in flat(inner, f"{above}.{name}").items()}


@pytest.mark.parametrize("path", COMPARISONS, ids=lambda path: path.stem)
def test_a_comparison_differs_in_its_own_lines_only(path: Path) -> None:
    own = yaml.safe_load(path.read_text())
    base = flat(load_config(path.parent / own.pop("base"), TrainConfig).model_dump(mode="json"))
    resolved = flat(load_config(path, TrainConfig).model_dump(mode="json"))
    differ = {key for key in base.keys() | resolved.keys() if base.get(key) != resolved.get(key)}
    assert differ - {".reward.weights"} == set(flat(own)) - {k for k in flat(own) if base.get(k) == resolved.get(k)}
    assert len(differ) <= 8


def test_composition(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("suite: {type: seed, seed: 1}\npolicy: {type: small, layers: 2, heads: 2}\n")
    (tmp_path / "b.yaml").write_text("policy: {layers: 3}\ngrpo: {updates: 5}\nepisode: {actions: [submit]}\n")
    run = tmp_path / "run.yaml"
    run.write_text("base: [a.yaml, b.yaml]\ngrpo: {kl: 0.5}\nsuite: {type: file, path: x.jsonl}\n")
    config = load_config(run, TrainConfig, ("grpo.updates=6",))
    assert (config.policy.layers, config.policy.heads) == (3, 2), "sections are merged, later over earlier"
    assert (config.grpo.updates, config.grpo.kl) == (6, 0.5)
    assert config.suite == FileSuite(path="x.jsonl"), "another type takes nothing from the one before"
    assert config.episode.actions == ("submit",)
    run.write_text("base: run.yaml\n")
    with pytest.raises(UserError, match="stands on itself"):
        load_config(run, TrainConfig)
    run.write_text("base: missing.yaml\n")
    with pytest.raises(UserError, match=r"missing\.yaml"):
        load_config(run, TrainConfig)


@pytest.mark.parametrize("model", every_model(), ids=lambda model: model.__name__)
def test_every_key_is_documented(model: type[BaseModel]) -> None:
    # A field that names itself (a section, a count spelled out) needs no second wording; a bare number does.
    undocumented = [
        name
        for name, field in model.model_fields.items()
        if not field.description and name != "type" and not _is_section(field.annotation)
    ]
    assert not undocumented, f"{model.__name__} says nothing of: {', '.join(undocumented)}"


def _is_section(annotation: object) -> bool:
    arms = getattr(annotation, "__args__", (annotation,))
    return all(isinstance(arm, type) and issubclass(arm, BaseModel) for arm in arms)


def test_unknown_key_is_one_line_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("suite: {type: seed}\npolicy: {type: small}\ngrpo: {learning_rat: 1}\n")
    with pytest.raises(UserError, match=r"grpo\.learning_rat") as raised:
        load_config(path, TrainConfig)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "says"), [("a: [", "no YAML"), ("", "no mapping"), ("- 1", "no mapping"), ("suite: 3", "suite")]
)
def test_what_is_no_config_says_so(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=says):
        load_config(path, TrainConfig)


def test_overrides_reach_nested_keys(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("suite: {type: seed}\npolicy: {type: small}\n")
    config = load_config(path, TrainConfig, ("grpo.updates=3", "episode.turns=1"))
    assert (config.grpo.updates, config.episode.turns) == (3, 1)
