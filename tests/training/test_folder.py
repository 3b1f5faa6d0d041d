import json
from pathlib import Path

import pytest

from verulaw_rl.config.suite import SeedSuite
from verulaw_rl.config.train import SmallPolicy, TrainConfig
from verulaw_rl.errors import UserError
from verulaw_rl.training.folder import TrainingFolder, make_folder_whole, write_whole

pytestmark = pytest.mark.unit


@pytest.fixture
def config(tmp_path: Path) -> TrainConfig:
    return TrainConfig(name="trial", output=str(tmp_path / "runs"), suite=SeedSuite(), policy=SmallPolicy())


def test_a_folder_is_never_written_over(config: TrainConfig) -> None:
    names = [TrainingFolder.create(config).path.name for _ in range(3)]
    assert names == ["trial", "trial-2", "trial-3"]


def test_it_says_what_ran(config: TrainConfig) -> None:
    folder = TrainingFolder.create(config)
    versions = json.loads((folder.path / "versions.json").read_text())
    assert {"python", "torch", "trl", "verulaw_rl"} <= versions.keys()
    folder.add_versions(verifier=["dafny 2.3.0"])
    assert json.loads((folder.path / "versions.json").read_text()) == versions | {"verifier": ["dafny 2.3.0"]}
    assert TrainingFolder.open(folder.path).config == config


def test_finished_phases_are_remembered(config: TrainConfig) -> None:
    folder = TrainingFolder.create(config)
    assert not folder.done("suite")
    folder.finish("suite", seconds=3.0, train_split="train")
    again = TrainingFolder.open(folder.path)
    assert again.done("suite")
    assert again.facts("suite") == {"seconds": 3.0, "train_split": "train"}
    assert not again.done("grpo")


def test_rows_behind_a_checkpoint_are_cut(config: TrainConfig) -> None:
    folder = TrainingFolder.create(config)
    folder.add_rows("metrics.jsonl", [{"batch": 1, "warm_start/loss": 2.0}, *({"update": u} for u in (1, 2, 3))])
    folder.add_rows("episodes.jsonl", [{"update": u, "n": n} for u in (1, 2, 3) for n in range(2)])
    with (folder.path / "episodes.jsonl").open("a") as out:
        out.write('{"update": 4, "n"')
    folder.cut_rows_after(2)
    rows = [json.loads(line) for line in (folder.path / "metrics.jsonl").read_text().splitlines()]
    assert rows == [{"batch": 1, "warm_start/loss": 2.0}, {"update": 1}, {"update": 2}]
    assert len((folder.path / "episodes.jsonl").read_text().splitlines()) == 4


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nothing to resume"):
        TrainingFolder.open(tmp_path)


def test_a_place_that_cannot_be_written_is_said_in_one_line(config: TrainConfig, tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    with pytest.raises(UserError, match="cannot make the run folder"):
        TrainingFolder.create(config)


def test_what_is_interrupted_leaves_what_was_there(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.txt", "one")
    make_folder_whole(tmp_path / "model", lambda part: write_whole(part / "weights", "one"))

    def fails(part: Path) -> None:
        write_whole(part / "weights", "two")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_folder_whole(tmp_path / "model", fails)
    assert (tmp_path / "model" / "weights").read_text() == "one"
    make_folder_whole(tmp_path / "model", lambda part: write_whole(part / "weights", "three"))
    assert (tmp_path / "model" / "weights").read_text() == "three"
    assert [p.name for p in (tmp_path / "model").iterdir()] == ["weights"]
