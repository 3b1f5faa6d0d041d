"""Building instances from programs, live: what is built, and why the rest is left out."""

from collections.abc import Iterator

import pytest

from tests.programs import COUNT_UP
from verulaw_rl.evidence.live import pool_verifier
from verulaw_rl.languages.base import Category, Task
from verulaw_rl.suites.build import BuildResult, SourceProgram, build_suite
from verulaw_rl.verification.pool import Pool, PoolSettings

pytestmark = pytest.mark.tool

PROGRAMS = {
    "good": COUNT_UP,
    "wrong": COUNT_UP.replace("i == n", "i == n + 1"),
    "broken": COUNT_UP + "{",
    "empty": "  \n",
    "plain": "method Zero() returns (r: int)\n  ensures r == 0\n{\n  r := 0;\n}\n",
    "easy": "method Zero() returns (r: int)\n  ensures r == 0\n{\n  r := 0;\n  assert r == 0;\n}\n",
    "escape": COUNT_UP + "lemma Believed()\n  ensures false\n",
    "functions": "function F(n: nat): nat { n }\n",
    "asserts": """method Even(n: nat) returns (b: bool)
  ensures b
{
  b := true;
  while b
    invariant b ==> n * 2 % 2 == 0
    invariant b
    decreases *
  {
  }
}
""",
}


@pytest.fixture(scope="module")
def built() -> Iterator[BuildResult]:
    programs = [SourceProgram(name, text) for name, text in PROGRAMS.items()]
    with Pool(PoolSettings(workers=2)) as pool:
        yield build_suite(
            "t", "dafny", programs, [Task.ANNOTATION_REPAIR, Task.CODE_GENERATION], pool_verifier(pool, "dafny")
        )


def reasons(built: BuildResult, task: Task) -> dict[str, str]:
    return {r.program: r.reason for r in built.rejected if r.task is task}


def test_each_program_gives_an_instance_or_a_reason(built: BuildResult):
    for task in (Task.ANNOTATION_REPAIR, Task.CODE_GENERATION):
        instances = {i.program for i in built.suite.instances if i.task is task}
        assert instances | set(reasons(built, task)) == set(PROGRAMS)
        assert not instances & set(reasons(built, task))


def test_reasons(built: BuildResult):
    repair, write = reasons(built, Task.ANNOTATION_REPAIR), reasons(built, Task.CODE_GENERATION)
    for both in (repair, write):
        assert both["wrong"] == "reference: failed"
        assert both["broken"] == "reference: invalid"
        assert both["empty"] == "empty file"
        assert both["escape"] == "escape in the program"
        assert both["functions"] == "nothing to prove"
        assert both["asserts"] == "reference: invalid"  # `decreases *` in a method that does not allow it
    assert repair["plain"] == "no annotations to repair"
    assert repair["easy"] == "the given already verifies"
    assert "good" not in repair
    assert "good" not in write


def test_the_good_one(built: BuildResult):
    one = next(i for i in built.suite.instances if i.key == "t/good:annotation_repair")
    assert one.given == COUNT_UP.replace("    invariant i <= n\n", "")
    assert one.totals == {
        Category.POSTCONDITION: 1,
        Category.INVARIANT: 1,
        Category.ASSERTION: 0,
        Category.SAFETY: 1,
        Category.TERMINATION: 1,
    }
    assert one.covered == ("CountUp",)
    assert one.tool.version == "2.3.0" or one.tool.version.startswith("4.")
    other = next(i for i in built.suite.instances if i.key == "t/good:code_generation")
    assert "{" not in other.given
    assert other.probes == ()
