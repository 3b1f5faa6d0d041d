"""Given programs: what is removed, and that what is left is a program."""

import ast
from pathlib import Path

import pytest

from verulaw_rl.languages.base import FALSE, Check, Point
from verulaw_rl.languages.nagini.language import NAGINI
from verulaw_rl.languages.nagini.strip import remove_annotations_at
from verulaw_rl.languages.nagini.view import read

pytestmark = pytest.mark.unit

HEAD = "from nagini_contracts.contracts import *\n\n\n"


def test_invariants_asserts_folds_and_unfolds_go_and_the_rest_stays():
    source = HEAD + (
        "def f(c: Cell, n: int) -> int:\n"
        "    Requires(cell(c))\n"
        "    Ensures(cell(c))\n"
        "    Unfold(cell(c))\n"
        "    kept = Unfolding(other(c), c.value)\n"
        "    i = 0  # start\n"
        "    while i < n:\n"
        "        # invariants-start\n"
        "        Invariant(i >= 0)\n"
        "        Invariant(MustTerminate(n - i))\n"
        "        # invariants-end\n"
        "        assert i < n  # why\n"
        "        if i > 3:\n"
        "            Assert(i > 2)\n"
        "        i = i + 1\n"
        "    lemma(n)\n"
        "    Fold(cell(c))\n"
        "    return kept\n\n\n"
        "def lemma(n: int) -> None:\n"
        "    Ensures(n == n)\n"
        "    pass\n"
    )
    assert NAGINI.strip_annotations(source) == HEAD + (
        "def f(c: Cell, n: int) -> int:\n"
        "    Requires(cell(c))\n"
        "    Ensures(cell(c))\n"
        "    kept = Unfolding(other(c), c.value)\n"
        "    i = 0  # start\n"
        "    while i < n:\n"
        "        i = i + 1\n"
        "    lemma(n)\n"
        "    return kept\n\n\n"
        "def lemma(n: int) -> None:\n"
        "    Ensures(n == n)\n"
        "    pass\n"
    )


def test_a_block_that_loses_everything_gets_pass():
    source = HEAD + (
        "def f(n: int) -> None:\n"
        "    x = 1; Assert(x == 1); y = 2\n"
        "    while x < n: Invariant(True)\n"
        "    for k in range(3):\n"
        "        Invariant(True)\n"
        "        Assert(True)\n"
        "    if g(x): Assert(x > 1); Assert(y > 1)\n"
        "    else: x = 3\n"
    )
    assert NAGINI.strip_annotations(source) == HEAD + (
        "def f(n: int) -> None:\n"
        "    x = 1; y = 2\n"
        "    while x < n: pass\n"
        "    for k in range(3):\n"
        "        pass\n"
        "    if g(x): pass\n"
        "    else: x = 3\n"
    )


def test_bodies_of_methods_become_pass_and_constructors_and_pure_functions_stay():
    source = HEAD + (
        "class C:\n"
        "    def __init__(self) -> None:\n"
        "        Ensures(Acc(self.x))\n"
        "        self.x = 0  # type: int\n\n"
        "    def step(self) -> None:\n"
        "        Requires(Acc(self.x))\n"
        "        # impl-start\n"
        "        while self.x < 3:\n"
        "            self.x = self.x + 1\n"
        "        # impl-end\n\n\n"
        "@Pure\n"
        "def p(n: int) -> int:\n"
        "    return n + 1\n\n\n"
        "@ContractOnly\n"
        "def trusted() -> int:\n"
        "    return 1\n\n\n"
        "def last(n: int) -> int: return n\n"
    )
    stripped = NAGINI.strip_bodies(source)
    assert "self.x = 0" in stripped
    assert "return n + 1" in stripped
    assert "return 1" in stripped
    assert "        # impl-start\n        pass\n        # impl-end\n" in stripped
    assert stripped.endswith("def last(n: int) -> int: pass\n")


def test_what_is_dropped_by_its_place_goes_alone():
    source = HEAD + "def f(n: int) -> int:\n    Assert(n > 0)  # one\n    Assert(n > 1)  # two\n    return n\n"
    first, second = (a.span for a in read(source).view.annotations)
    assert remove_annotations_at(source, [first]) == source.replace("    Assert(n > 0)  # one\n", "")
    assert NAGINI.instrument(source, (), (second,)).text == source.replace("    Assert(n > 1)  # two\n", "")


def test_given_programs_of_the_benchmark_are_programs_without_proof(shared_data: Path):
    for file in sorted((shared_data / "humaneval-nagini").glob("*.py")):
        source = file.read_text()
        given, bodyless = NAGINI.strip_annotations(source), NAGINI.strip_bodies(source)
        for text in (given, bodyless):
            ast.parse(text, type_comments=True)
        for words in ("Invariant(", "Assert(", "invariants-start", "assert-start"):
            assert words not in given, file.name
        for kind in ("requires", "ensures"):
            before = [c.canonical for d in read(source).view.declarations for c in d.clauses if c.kind == kind]
            for text in (given, bodyless):
                after = [c.canonical for d in read(text).view.declarations for c in d.clauses if c.kind == kind]
                assert after == before, file.name
        assert NAGINI.strip_annotations(given) == given
        assert NAGINI.strip_bodies(bodyless) == bodyless


def test_every_probe_of_the_benchmark_has_its_place_in_reference_and_given(shared_data: Path):
    files = sorted((shared_data / "humaneval-nagini").glob("*.py"))[::8]
    number = 0
    for file in files:
        source = file.read_text()
        given = NAGINI.strip_annotations(source)
        probes = NAGINI.probes(source, given)
        number += len(probes)
        checks = tuple(
            Check(f"{k}/{j}", p.declaration, point, p.expression)
            for k, p in enumerate(probes)
            for j, point in enumerate(p.points)
        )
        there, here = NAGINI.instrument(source, checks), NAGINI.instrument(given, checks)
        assert there.unplaced == here.unplaced == (), file.name
        assert [s.check for s in there.sites] == [s.check for s in here.sites], file.name
    assert number > 50


def test_the_reference_is_no_probe_of_itself(shared_data: Path):
    source = (shared_data / "humaneval-nagini" / "003-below-zero.py").read_text()
    assert NAGINI.probes(source, source) == ()
    assert Check("a", "b", Point("exit"), FALSE).expression == FALSE
