import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from verulaw_rl.cli.main import build_app
from verulaw_rl.languages.registry import get_language
from verulaw_rl.suites.bundled import BUNDLED
from verulaw_rl.suites.leaks import Leak, find_leaks
from verulaw_rl.suites.neighbours import groups
from verulaw_rl.suites.sources import suite_programs

pytestmark = pytest.mark.unit

SUM = """\
method Sum(n: nat) returns (s: nat)
  ensures s == n * (n + 1) / 2
{
  s := 0;
  var i := 0;
  while i < n
    invariant i <= n && s == i * (i + 1) / 2
  {
    i := i + 1;
    s := s + i;
  }
}
"""
OTHER = """\
predicate Sorted(a: seq<int>) { forall i, j :: 0 <= i < j < |a| ==> a[i] <= a[j] }
lemma Empty() ensures Sorted([]) { }
method First(a: array<int>) returns (x: int) requires a.Length > 0 ensures x == a[0] { x := a[0]; }
"""


def find(first: dict[str, str], second: dict[str, str]) -> list[Leak]:
    return find_leaks(first, second, get_language("dafny").lexicon)


def test_names_numbers_and_comments_do_not_hide_a_program() -> None:
    renamed = "// mine\n" + re.sub(r"\bi\b", "k", re.sub(r"\bs\b", "total", SUM)).replace("Sum", "Total").replace(
        "2", "7"
    )
    (leak,) = find({"train/sum": SUM, "train/other": OTHER}, {"test/total": renamed})
    assert (leak.first, leak.second, leak.kind, leak.similarity) == ("train/sum", "test/total", "same", 1.0)


def test_a_changed_line_is_near_and_a_part_is_contained() -> None:
    changed = SUM.replace("    s := s + i;\n", "    s := s + i;\n    s := s;\n")
    near, part = find({"sum": SUM}, {"changed": changed, "both": SUM + OTHER * 3, "other": OTHER})
    assert (near.kind, near.second) == ("near", "changed")
    assert 0.8 <= near.similarity < 1.0
    assert (part.kind, part.second) == ("contained", "both")
    assert part.similarity >= 0.9


def test_nothing_in_common() -> None:
    assert find({"sum": SUM}, {"other": OTHER}) == []


def command(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(build_app("leaks"), ["leaks", *words])
    return done.exit_code, done.stdout


def test_the_seed_suites_splits_do_not_leak() -> None:
    code, said = command("seed:train", "seed:heldout")
    assert code == 0, said
    assert said.startswith("0 of ")


def test_a_suite_leaks_into_itself(tmp_path: Path) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text("".join(BUNDLED.read_text().splitlines(keepends=True)[:3]))
    code, said = command("seed", str(few), "--json")
    assert code == 1
    pairs = json.loads(said)["pairs"]
    assert {p["second"] for p in pairs if p["kind"] == "same"} >= {p["second"] for p in pairs}
    assert "no split 'x'" in CliRunner().invoke(build_app("leaks"), ["leaks", "seed:x", "seed"]).stderr


def test_a_split_keeps_together_what_the_leak_check_finds() -> None:
    changed = SUM.replace("    s := s + i;\n", "    s := s + i;\n    s := s;\n")
    programs = {"sum": SUM, "changed": changed, "empty": "method M() { }", "both": SUM + OTHER * 3, "other": OTHER}
    group = groups(list(programs.items()), get_language("dafny").lexicon)
    # Both are parts of `both`, which brings them together.
    assert group == dict.fromkeys(("sum", "changed", "both", "other"), "sum") | {"empty": "empty"}


def test_no_program_of_a_public_benchmark_is_on_both_sides(shared_data: Path) -> None:
    _, found, _ = suite_programs("dafnybench", None, ".dfy", shared_data / "dafnybench")
    programs = {p.name: p.text for p in found}
    group = groups(list(programs.items()), get_language("dafny").lexicon)
    assert len(set(group.values())) < len(programs)
    leaks = find(programs, programs)
    assert {(leak.first, leak.second) for leak in leaks if group[leak.first] != group[leak.second]} == set()
