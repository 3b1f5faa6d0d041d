"""Which text is specification, annotation or executable, and what strip leaves."""

from pathlib import Path

import pytest

from verulaw_rl.languages.base import Point, RegionKind, Task
from verulaw_rl.languages.marks import ANNOTATION
from verulaw_rl.languages.verus.language import VERUS
from verulaw_rl.languages.verus.tokens import canonical
from verulaw_rl.languages.verus.view import read
from verulaw_rl.suites.seed import seed_programs

pytestmark = pytest.mark.unit

PROGRAM = """\
use vstd::prelude::*;
verus! {
spec fn half(n: nat) -> nat decreases n, { proof { assert(n >= 0); } if n < 2 { 0 } else { 1 + half((n - 2) as nat) } }
proof fn lemma_half(n: nat) ensures half(n) <= n, decreases n, { if n >= 2 { lemma_half((n - 2) as nat); } }
fn halve(n: u64) -> (h: u64)
    ensures h == half(n as nat),
    decreases n,
{
    let mut h: u64 = 0;
    let ghost start = n;
    #[verifier::loop_isolation(false)]
    while h < n
        invariant
            h <= n, // so far
            start == n,
        decreases n - h,
    {
        assert(h < n);
        h = h + 1;
        proof {
            assert(h <= n);
            lemma_half(n as nat);
        }
    }
    if h == n { assert(h == n) by { lemma_half(n as nat); } }
    proof { assert(true); }
    h
}
}
"""


def parts(source: str, kind: RegionKind) -> str:
    view = VERUS.parse(source)
    assert view.error is None, view.error
    return canonical(" ".join(source[r.span.start : r.span.end] for r in view.regions if r.kind is kind))


def erased(source: str) -> list[str]:
    """Specification and executable tokens."""
    reading = read(source)
    return [t.text for t, k in zip(reading.program.lexed.tokens, reading.marks.tokens, strict=True) if k != ANNOTATION]


def test_regions_of_a_program() -> None:
    assert parts(PROGRAM, RegionKind.ANNOTATION) == canonical(
        "proof { assert(n >= 0); } decreases n, { if n >= 2 { lemma_half((n - 2) as nat); } } decreases n,"
        " let ghost start = n; #[verifier::loop_isolation(false)] invariant h <= n, start == n, decreases n - h,"
        " assert(h < n); proof { assert(h <= n); lemma_half(n as nat); }"
        " assert(h == n) by { lemma_half(n as nat); } proof { assert(true); }"
    )
    assert parts(PROGRAM, RegionKind.EXECUTABLE) == canonical(
        "{ let mut h: u64 = 0; while h < n { h = h + 1; } if h == n { } h }"
    )
    # `decreases` of a spec function is part of its definition
    assert "decreases n" in parts(PROGRAM, RegionKind.SPECIFICATION)


@pytest.mark.parametrize(
    "statement",
    [
        "assert(x > 0);",
        "assert(x > 0) by { lemma(x); }",
        "assert(x > 0) by (bit_vector);",
        "assert(x * x > 0) by (nonlinear_arith) requires x > 0 { }",
        "assert forall|i: int| f(i) by { }",
        "assume(x > 0);",
        "proof { lemma(x); }",
        "calc! { (==) x; { } x; }",
        "let ghost z = x;",
        "let tracked z = x;",
        "reveal(f);",
        "reveal_with_fuel(f, 3);",
        "hide(f);",
        "broadcast use vstd::seq_lib::group_seq_properties;",
        "assert_seqs_equal!(a, b);",
        "assert_by_contradiction!(p, { lemma(x); });",
    ],
)
def test_proof_statements_are_annotations(statement: str) -> None:
    around = "verus! { fn m(x: u32) -> (r: u32) { let a = 1; %s x } }"
    assert erased(around % statement) == erased(around % "")


@pytest.mark.parametrize(
    "statement",
    [
        "let z = x;",
        "let g: Ghost<int> = Ghost(x as int);",
        "lemma(x);",
        "v.push(x);",
        "if x > 0 { assert(true); }",
        "match x { _ => assert(true), }",
        "return x;",
        "x += 1;",
        "vec![1];",
        "unsafe { }",
        "fn inner() { }",
    ],
)
def test_statements_with_an_effect_are_executable(statement: str) -> None:
    around = "verus! { fn m(x: u32) -> (r: u32) { let a = 1; %s x } }"
    assert erased(around % statement) != erased(around % "")


def test_stripped_of_annotations() -> None:
    assert (
        VERUS.strip_annotations(PROGRAM)
        == """\
use vstd::prelude::*;
verus! {
spec fn half(n: nat) -> nat decreases n, { proof { assert(n >= 0); } if n < 2 { 0 } else { 1 + half((n - 2) as nat) } }
proof fn lemma_half(n: nat) ensures half(n) <= n, { if n >= 2 { lemma_half((n - 2) as nat); } }
fn halve(n: u64) -> (h: u64)
    ensures h == half(n as nat),
{
    let mut h: u64 = 0;
    let ghost start = n;
    #[verifier::loop_isolation(false)]
    while h < n
    {
        h = h + 1;
        proof {
            lemma_half(n as nat);
        }
    }
    if h == n { }
    h
}
}
"""
    )


def test_stripped_of_bodies() -> None:
    stripped = VERUS.strip_bodies(PROGRAM)
    assert (
        "fn halve(n: u64) -> (h: u64)\n    ensures h == half(n as nat),\n    decreases n,\n{\n    todo!()\n}"
        in stripped
    )
    assert "proof fn lemma_half(n: nat) ensures half(n) <= n, decreases n, {\n}" in stripped
    assert VERUS.strip_bodies(stripped) == stripped


def test_targets() -> None:
    view = VERUS.parse(
        "verus! { fn main() { } fn a() { b(); } #[verifier::external_body] fn b() { c() } proof fn p() ensures true { }"
        " proof fn q() { } spec fn s() -> int { 3 } fn t() -> u8 { todo!() } }"
    )
    assert [d.path for d in VERUS.targets(view, Task.ANNOTATION_REPAIR)] == ["a", "p", "t"]
    assert [d.path for d in VERUS.targets(view, Task.CODE_GENERATION)] == ["a"]


def test_points_do_not_depend_on_annotations() -> None:
    wanted = ("h < n", "h <= n", "h == n")
    points = {a.text: a.point for a in VERUS.parse(PROGRAM).annotations if a.text[7:].startswith(wanted)}
    # the hand count: { let mut h : u64 = 0 ; while h < n { h = h + 1 ; } if h == n { } h }
    assert points == {
        "assert(h < n);": Point("token", 14),
        "assert(h <= n);": Point("token", 20),
        "assert(h == n) by { lemma_half(n as nat); }": Point("token", 26),
    }


def test_annotations_have_exact_spans() -> None:
    view = VERUS.parse(PROGRAM)
    assert all(PROGRAM[a.span.start : a.span.end] == a.text for a in view.annotations)
    loop = [(a.kind.value, a.text, a.loop) for a in view.annotations if a.loop is not None]
    assert loop == [("invariant", "h <= n,", 0), ("invariant", "start == n,", 0), ("decreases", "decreases n - h,", 0)]


def test_one_clause_takes_its_keyword_along() -> None:
    source = "verus! { fn f(n: u8) { while n > 0 invariant n > 0 decreases n { } } }"
    assert [a.text for a in VERUS.parse(source).annotations] == ["invariant n > 0", "decreases n"]


def test_public_programs_keep_their_executable_text(shared_data: Path) -> None:
    """What strip leaves has the executable text of the original, and no annotation that strip takes."""
    changed = 0
    for path in sorted((shared_data / "humaneval-verus").glob("*.rs")):
        source = path.read_bytes().decode()
        stripped = VERUS.strip_annotations(source)
        changed += stripped != source
        assert parts_of_code(stripped) == parts_of_code(source), path.name
        assert VERUS.strip_annotations(stripped) == stripped, path.name
        kinds = {a.kind.value for a in VERUS.parse(stripped).annotations if a.declaration in methods(stripped)}
        assert not kinds & {"invariant", "decreases", "calc"}, path.name
    assert changed >= 80


def parts_of_code(source: str) -> list[str]:
    view = VERUS.parse(source)
    code = [source[r.span.start : r.span.end] for r in view.regions if r.kind is RegionKind.EXECUTABLE]
    return canonical(" ".join(code)).split()


def methods(source: str) -> set[str]:
    return {d.path for d in VERUS.parse(source).declarations if d.kind in ("method", "lemma")}


def test_seed_programs_are_ready_to_be_built() -> None:
    """Their verification waits for a Verus; all that syntax can say holds."""
    programs = seed_programs("verus")
    assert len(programs) >= 30
    assert len({p.family for p in programs}) >= 8
    for program in programs:
        view = VERUS.parse(program.text)
        assert view.error is None, program.name
        assert view.lossless
        assert VERUS.escapes(program.text) == ()
        given = VERUS.strip_annotations(program.text), VERUS.strip_bodies(program.text)
        assert given[1] != program.text
        assert VERUS.targets(view, Task.CODE_GENERATION)
        for task, text in zip((Task.ANNOTATION_REPAIR, Task.CODE_GENERATION), given, strict=True):
            assert VERUS.parse(text).error is None
            assert VERUS.audit(task, text, program.text) == (), program.name
        for d in view.declarations:
            loops = [c.kind for loop in d.loops for c in loop.clauses]
            for_loops = "for i in" in program.text
            assert loops.count("decreases") + for_loops >= len(d.loops), program.name
    repairable = [p for p in programs if VERUS.strip_annotations(p.text) != p.text]
    assert len(repairable) >= 30
