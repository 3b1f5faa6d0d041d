"""DafnyBench's rule on made output, and its real run beside our score on programs that the two take differently."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.evaluation.conftest import GIVEN, PROVED
from verulaw_rl.episodes.record import EpisodeRecord
from verulaw_rl.errors import UserError
from verulaw_rl.evaluation import official
from verulaw_rl.evaluation.official import judge, legacy_runner, score_official, side_by_side, specification_lines
from verulaw_rl.suites.instance import Instance

Make = Callable[..., EpisodeRecord]
YES = "\nDafny program verifier finished with 2 verified, 0 errors\n"


@pytest.mark.unit
def test_specification_lines_as_the_scorer_sees_them() -> None:
    program = """\
    requires   a  <  b // why
  // ensures false
  /* ensures
     requires c */
    assert x; // ensures
  var requires_it := 1;
  /* one */ ensures d
  ensures e
"""
    # To the scorer, a comment that ends in the middle of its line never ends: a specification behind it may change.
    assert specification_lines(program) == ["requiresa<b//why", "assertx;//ensures", "varrequires_it:=1;"]


@pytest.mark.unit
@pytest.mark.parametrize(
    ("program", "output", "said"),
    [
        (PROVED, YES, official.ACCEPTED),
        (PROVED, None, official.TIMEOUT),
        (PROVED, YES.replace("0 errors", "1 error"), official.FAILED),
        (PROVED, YES + "File contains no code", official.FAILED),
        (PROVED.replace("s == n * 2", "s >= 0"), YES, official.SPECIFICATION),
        (PROVED.replace("s := 0;", "s := 0; assume false;"), YES, official.ESCAPE),
        (PROVED.replace("s := 0;", "s := 0; assume  false;"), YES, official.ACCEPTED),
        (PROVED.replace("method", "method {:axiom}"), YES, official.ACCEPTED),
        (PROVED + "lemma L()\n  ensures true\n{}\n", YES, official.SPECIFICATION),
    ],
)
def test_the_rule(program: str, output: str | None, said: str) -> None:
    assert judge(GIVEN, program, output) == said


@pytest.mark.unit
def test_only_dafny_annotation_repair(instance: Callable[..., Instance], tmp_path: Path) -> None:
    other = {"a": replace(instance("a"), language="nagini")}
    with pytest.raises(UserError, match="a is nagini"):
        score_official([], other, lambda program: YES, tmp_path / "x.jsonl")


@pytest.mark.tool
def test_the_real_rule_beside_ours(record: Make, instance: Callable[..., Instance], tmp_path: Path) -> None:
    from verulaw_rl.verification.dafny.find import find_dafny
    from verulaw_rl.verification.sandbox import detect_sandbox

    def played(key: str, program: str, outcome: str) -> EpisodeRecord:
        made = record(key, outcome)
        return replace(made, turns=(replace(made.turns[0], program=program),))

    escape = GIVEN.replace("  s := 0;", "  s := 0;\n  assume true == false;")
    lemma = PROVED + "lemma Aside()\n  ensures 1 + 1 == 2\n{\n}\n"
    records = [
        played("honest", PROVED, "verified"),
        played("escape", escape, "proof"),
        played("lemma", lemma, "verified"),
        played("given", GIVEN, "failed"),
    ]
    instances = {key: instance(key) for key in ("honest", "escape", "lemma", "given")}
    asked = []
    run = legacy_runner(find_dafny(), detect_sandbox(), wall_s=300)  # what is tested is the rule, not this machine

    def counted(program: str) -> str | None:
        asked.append(program)
        return run(program)

    verdicts = score_official(records, instances, counted, tmp_path / "official.jsonl")
    assert {v.instance: v.said for v in verdicts} == {
        "honest": official.ACCEPTED,
        "escape": official.ACCEPTED,
        "lemma": official.SPECIFICATION,
        "given": official.FAILED,
    }
    both = side_by_side(records, verdicts, instances)
    assert (both.official.value, both.strict.value) == (0.5, 0.5)
    assert [(d.instance, d.official, d.why) for d in both.differ] == [
        ("escape", True, "an assume was added"),
        ("lemma", False, official.SPECIFICATION),
    ]
    assert score_official(records, instances, counted, tmp_path / "official.jsonl") == verdicts
    assert len(asked) == 4  # the second time nothing was run
