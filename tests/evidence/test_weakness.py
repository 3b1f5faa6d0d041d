"""Specifications that a trivial program satisfies."""

import pytest

from verulaw_rl.evidence.live import pool_verifier
from verulaw_rl.evidence.weakness import weakness_of
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.dafny.trivial import trivial_programs
from verulaw_rl.languages.registry import get_language
from verulaw_rl.suites.build import SourceProgram, build_suite
from verulaw_rl.suites.bundled import bundled_suite
from verulaw_rl.verification.pool import Pool, PoolSettings

GIVEN = """\
class C { }
datatype D = D
method A(x: int, y: bool) returns (n: nat, b: bool, s: seq<int>, m: map<int, seq<nat>>, r: real, c: char)
  ensures n >= 0
method B<T>(a: array<int>, t: T, bits: bv8) returns (b: array<int>, u: T, v: bv8, o: C?, w: string, d: D)
lemma L(x: nat) ensures x >= 0
method Done() { }
"""


@pytest.mark.unit
def test_bodies():
    default, unchanged, empty = trivial_programs(GIVEN)
    assert "{ n := 0; b := false; s := []; m := map[]; r := 0.0; c := 'a'; }" in default
    assert '{ b := new int[0]; v := 0; o := null; w := ""; }' in default
    assert "{ n := 0; b := y; s := []; m := map[]; r := 0.0; c := 'a'; }" in unchanged
    assert '{ b := a; u := t; v := bits; o := null; w := ""; }' in unchanged
    assert empty.count("{ }") == 5  # C, A, B, L, Done
    for program in (default, unchanged, empty):
        assert get_language("dafny").parse(program).error is None
        assert program.count("ensures x >= 0\n{ }") == 1
    assert trivial_programs("method M() { }") == ()


@pytest.mark.unit
def test_they_are_candidates_that_the_audit_accepts():
    dafny = get_language("dafny")
    for instance in bundled_suite(Task.CODE_GENERATION).instances:
        programs = dafny.trivial_programs(instance.given)
        assert programs
        for program in programs:
            assert dafny.audit(Task.CODE_GENERATION, instance.given, program) == (), instance.key


PROGRAMS = {
    "weak": "method Keep(x: int) returns (y: int)\n  ensures y == x\n{\n  var z := x;\n  y := z;\n}\n",
    "half": "method Zero() returns (y: int)\n  ensures y < 9\n{\n  y := 8;\n}\n"
    "method Next(x: int) returns (y: int)\n  ensures y == x + 1\n{\n  y := x + 1;\n}\n",
    "strong": "method Next(x: int) returns (y: int)\n  ensures y == x + 1\n{\n  y := x + 1;\n}\n",
}


@pytest.mark.tool
def test_weak_half_and_strong():
    with Pool(PoolSettings(workers=1)) as pool:
        verify = pool_verifier(pool, "dafny")
        programs = [SourceProgram(name, text) for name, text in PROGRAMS.items()]
        built = build_suite("x", "dafny", programs, [Task.CODE_GENERATION], verify)
        found = {i.program: weakness_of(i, verify) for i in built.suite.instances}
    assert found["weak"].verified is not None
    assert found["weak"].declarations == ("Keep",)
    assert (found["half"].verified, found["half"].declarations) == (None, ("Zero",))
    assert (found["strong"].verified, found["strong"].declarations) == (None, ())
