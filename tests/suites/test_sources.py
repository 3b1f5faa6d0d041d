"""Where benchmarks come from: folders, published stripped forms, the hub's layout; and the card of a build."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from verulaw_rl.cli.main import build_app
from verulaw_rl.errors import UserError
from verulaw_rl.suites.card import read_card
from verulaw_rl.suites.instance import load_suite
from verulaw_rl.suites.sources import evaluation_only, suite_programs

PROVED = """\
method CountUp(n: nat) returns (i: nat)
  ensures i == n
{
  i := 0;
  while i < n
    invariant i <= n
  {
    i := i + 1;
  }
}
"""
STRIPPED = PROVED.replace("    invariant i <= n\n", "    \n")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder laid out as DafnyBench is: three programs, a stripped form of two."""
    root = tmp_path / "dafnybench"
    for folder in ("ground_truth", "hints_removed"):
        (root / folder).mkdir(parents=True)
    for name in ("one", "two", "three"):
        (root / "ground_truth" / f"{name}.dfy").write_text(PROVED.replace("CountUp", f"Count_{name}"))
    (root / "hints_removed" / "one_no_hints.dfy").write_text(STRIPPED.replace("CountUp", "Count_one"))
    # The published form of `two` lost its specification too: its reference does not keep it.
    lost = STRIPPED.replace("CountUp", "Count_two").replace("  ensures i == n\n", "  ensures i <= n\n")
    (root / "hints_removed" / "two_no_hints.dfy").write_text(lost)
    return root


@pytest.mark.unit
def test_a_benchmark_is_named_with_its_version(root: Path) -> None:
    name, programs, unreadable = suite_programs("dafnybench", None, ".dfy", root)
    assert (name, len(programs), unreadable) == ("dafnybench-v1", 3, [])
    name, programs, unreadable = suite_programs("dafnybench", None, ".dfy", root, published_given=True)
    assert name == "dafnybench-published-v1"
    assert [(p.name, bool(p.given)) for p in programs] == [("one", True), ("two", True)]
    assert unreadable == [("three", "no stripped form is published")]


@pytest.mark.unit
def test_what_may_only_be_evaluated_on() -> None:
    assert evaluation_only("humaneval-dafny")
    assert evaluation_only("humaneval-nagini-v1")
    assert not evaluation_only("dafnybench-published-v1")
    assert not evaluation_only("seed")


@pytest.mark.unit
def test_the_hubs_columns(tmp_path: Path) -> None:
    pytest.importorskip("datasets", reason="datasets is not installed: pip install -e .[train]")
    (tmp_path / "data").mkdir()
    rows = [{"test_ID": 0, "test_file": "b.dfy", "ground_truth": PROVED, "hints_removed": STRIPPED}]
    rows.append({"test_ID": 1, "test_file": "a.dfy", "ground_truth": PROVED, "hints_removed": STRIPPED})
    (tmp_path / "data" / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    name, programs, _ = suite_programs("dafnybench", None, ".dfy", tmp_path / "data", published_given=True, hub=True)
    assert name == "dafnybench-published-v1"
    assert [(p.name, p.text, p.given) for p in programs] == [("a", PROVED, STRIPPED), ("b", PROVED, STRIPPED)]
    (tmp_path / "data" / "test.jsonl").write_text('{"program": "x"}\n')
    with pytest.raises(UserError, match="no column test_file"):
        suite_programs("dafnybench", None, ".dfy", tmp_path / "data", hub=True)
    with pytest.raises(UserError, match="not on the hub"):
        suite_programs("humaneval-dafny", None, ".dfy", None, hub=True)


@pytest.mark.tool
def test_the_published_form_and_its_card(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "published.jsonl"
    words = ["build", "--suite", "dafnybench", "--root", str(root), "--given", "published", "--out", str(out)]
    done = CliRunner().invoke(build_app("build"), [*words, "--task", "annotation_repair"])
    assert done.exit_code == 0, done.output
    (instance,) = load_suite(out).instances
    assert instance.key == "dafnybench-published-v1/one:annotation_repair"
    assert instance.given == STRIPPED.replace("CountUp", "Count_one")
    text = (tmp_path / "published.card.md").read_text()
    card = read_card(tmp_path / "published.card.md")
    assert (card["pretty_name"], card["license"], card["programs"]) == ("dafnybench-published-v1", "Apache-2.0", 3)
    assert card["instances"] == {"annotation_repair": {instance.split: 1}}
    assert card["left_out"] == {"annotation_repair": {"the audit rejects the reference": 1}}
    assert card["verifiers"][0].startswith("dafny ")
    assert "- two: " in text
