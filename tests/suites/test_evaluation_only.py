"""A benchmark that is only evaluated on is never split, and no run trains on it."""

from dataclasses import replace
from pathlib import Path

import pytest

from verulaw_rl.config.suite import FileSuite, SeedSuite
from verulaw_rl.errors import UserError
from verulaw_rl.languages.base import Task
from verulaw_rl.suites.bundled import bundled_suite
from verulaw_rl.suites.instance import Suite, save_suite
from verulaw_rl.suites.prepare import language_of, prepare_suite
from verulaw_rl.suites.splits import EVALUATION
from verulaw_rl.verification.verdict import Verdict

pytestmark = pytest.mark.unit


def never(program: str) -> Verdict:
    raise AssertionError("a suite that is read needs no verifier")


def written(folder: Path, name: str, split: str) -> str:
    instances = [i for i in bundled_suite(Task.ANNOTATION_REPAIR).instances[:4]]
    made = [replace(i, suite=name, split=split if split == EVALUATION else i.split).with_hash() for i in instances]
    save_suite(Suite(name, tuple(made)), folder / "suite.jsonl")
    return str(folder / "suite.jsonl")


@pytest.mark.parametrize("name", ["humaneval-nagini-v1", "of-ones-own"])
def test_training_on_it_is_refused_whatever_split_is_named(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, name, EVALUATION)
    config = FileSuite(path=path, train_split=EVALUATION, heldout_split=EVALUATION)
    with pytest.raises(UserError, match="only evaluated on"):
        prepare_suite(config, Task.ANNOTATION_REPAIR, never)


def test_a_benchmark_whose_split_was_edited_is_refused_by_its_name(tmp_path: Path) -> None:
    path = written(tmp_path, "humaneval-nagini-v1", "train")
    with pytest.raises(UserError, match="only evaluated on"):
        prepare_suite(FileSuite(path=path), Task.ANNOTATION_REPAIR, never)


def test_a_run_knows_the_language_of_its_programs(tmp_path: Path) -> None:
    assert language_of(SeedSuite(language="nagini")) == "nagini"
    assert language_of(FileSuite(path=written(tmp_path, "mine", "train"))) == "dafny"
