"""Instances on disk, splits and near-duplicates."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from verulaw_rl.errors import UserError
from verulaw_rl.languages.base import Category, Point, Task
from verulaw_rl.languages.dafny.language import DAFNY
from verulaw_rl.suites.instance import (
    Instance,
    Obligation,
    Probe,
    Suite,
    VacuousPoint,
    instance_from_row,
    instance_to_row,
    load_suite,
    save_suite,
)
from verulaw_rl.suites.neighbours import groups
from verulaw_rl.suites.splits import assign_splits
from verulaw_rl.verification.verdict import ToolIdentity

pytestmark = pytest.mark.unit


def instance(name: str = "sum", task: Task = Task.ANNOTATION_REPAIR, **changes: object) -> Instance:
    made = Instance(
        key=f"s/{name}:{task.value}",
        language="dafny",
        task=task,
        suite="s",
        program=name,
        group=name,
        split="train",
        given="method M() {}\n",
        specification=(("M", "method M ( )"),),
        reference="method M() { assert true; }\n",
        obligations=(Obligation("safety:M", Category.SAFETY, "M"),),
        probes=(Probe("probe:0", Category.ASSERTION, "M", (Point("token", 1),), "true"),),
        vacuous=(VacuousPoint("M", Point("exit", 0)),),
        covered=(),
        tool=ToolIdentity("dafny", "2.3.0", "z3 4.8.5"),
    )
    return replace(made, **changes).with_hash()


def test_totals_count_probes():
    assert instance().totals[Category.ASSERTION] == 1
    assert instance().totals[Category.SAFETY] == 1
    assert instance().totals[Category.INVARIANT] == 0


def test_rows_come_back(tmp_path: Path):
    one, two = instance("sum"), instance("max", Task.CODE_GENERATION)
    assert instance_from_row(instance_to_row(one)) == one
    save_suite(Suite("s", (one, two)), tmp_path / "s.jsonl")
    assert load_suite(tmp_path / "s.jsonl").instances == (one, two)


def test_datasets_loads_a_suite(tmp_path: Path):
    datasets = pytest.importorskip("datasets")
    save_suite(Suite("s", (instance("sum"), instance("max"))), tmp_path / "s.jsonl")
    rows = datasets.load_dataset("json", data_files=str(tmp_path / "s.jsonl"), cache_dir=str(tmp_path))["train"]
    assert rows["program"][:] == ["sum", "max"]


def test_the_hash_is_of_what_scoring_depends_on():
    assert instance(split="heldout", group="g").content_hash == instance().content_hash
    assert instance(given="method M() { }\n").content_hash != instance().content_hash
    assert instance(probes=()).content_hash != instance().content_hash


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "empty"), ("{}\n", "not an instance"), ("not json\n", "not an instance")],
)
def test_bad_files_are_one_line(tmp_path: Path, text: str, message: str):
    path = tmp_path / "s.jsonl"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        load_suite(path)


def test_missing_file_and_changed_and_doubled_rows(tmp_path: Path):
    with pytest.raises(UserError, match="cannot read"):
        load_suite(tmp_path / "none.jsonl")
    path = tmp_path / "s.jsonl"
    save_suite(Suite("s", (replace(instance(), given="method N() {}"),)), path)
    with pytest.raises(UserError, match="changed after it was built"):
        load_suite(path)
    save_suite(Suite("s", (instance(), instance())), path)
    with pytest.raises(UserError, match="twice"):
        load_suite(path)


SUM = """method Sum(a: array<int>) returns (s: int)
  requires a.Length > 0
  ensures s == Total(a, a.Length)
{
  s := 0;
  var i := 0;
  while i < a.Length
    invariant 0 <= i <= a.Length
    invariant s == Total(a, i)
  { s := s + a[i]; i := i + 1; }
}
"""
OTHER = """lemma Same(s: seq<int>, t: seq<int>)
  requires |s| == |t|
  ensures multiset(s) == multiset(t) ==> forall x :: x in s <==> x in t
{
  if s != [] { Same(s[1..], t[1..]); }
}
"""


def test_renamed_and_commented_copies_are_near_duplicates():
    copy = "// a copy\n" + re.sub(r"\b(a|s|i)\b", r"\1\1", SUM).replace("0", "7")
    assert groups([("sum", SUM), ("other", OTHER), ("copy", copy)], DAFNY.lexicon) == {
        "sum": "sum",
        "copy": "sum",
        "other": "other",
    }


def test_groups_join_through_a_third():
    near = [(f"p{k}", SUM + "// more\n" * k) for k in range(4)]
    assert set(groups(near, DAFNY.lexicon).values()) == {"p0"}


def test_splits_keep_groups_and_tasks_together_and_are_a_function_of_the_seed():
    made = [
        instance(f"p{k}", task, group=f"g{k // 2}")
        for k in range(40)
        for task in (Task.ANNOTATION_REPAIR, Task.CODE_GENERATION)
    ]
    split = assign_splits(made, 0.3, seed=1)
    assert split == assign_splits(made, 0.3, seed=1)
    assert split != assign_splits(made, 0.3, seed=2)
    sides: dict[str, set[str]] = {}
    for one in split:
        sides.setdefault(one.group, set()).add(one.split)
    assert all(len(s) == 1 for s in sides.values())
    assert sum(i.split == "heldout" for i in split) == 24  # 0.3 of 80, in groups of four
