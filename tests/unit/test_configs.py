"""Every shipped config is one that a user can launch, and every key of a config says what it is."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from verulaw_rl.config.base import ConfigModel
from verulaw_rl.config.load import load_config
from verulaw_rl.config.train import TrainConfig
from verulaw_rl.errors import UserError
from verulaw_rl.shipped import find_file, shipped_folder

pytestmark = pytest.mark.unit

CONFIGS = sorted(shipped_folder("configs").glob("**/*.y*ml"))


def every_model(model: type[ConfigModel] = ConfigModel) -> list[type[BaseModel]]:
    return [found for child in model.__subclasses__() for found in (child, *every_model(child))]


def test_there_are_configs() -> None:
    assert "quickstart.yaml" in [path.name for path in CONFIGS]


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_config_is_valid_and_its_files_are_there(path: Path) -> None:
    config = load_config(path, TrainConfig)
    assert find_file(config.episode.environment, "envs").is_file()
    assert find_file(config.reward.file, "rewards").is_file()


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
