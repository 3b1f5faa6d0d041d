"""Which text is specification, annotation or executable."""

import json
from pathlib import Path

import pytest

from verulaw_rl.languages.base import AnnotationKind, Point, RegionKind
from verulaw_rl.languages.dafny.language import DAFNY
from verulaw_rl.languages.dafny.tokens import canonical
from verulaw_rl.languages.dafny.view import read
from verulaw_rl.languages.marks import ANNOTATION

pytestmark = pytest.mark.unit


def parts(source: str, kind: RegionKind) -> str:
    view = DAFNY.parse(source)
    assert view.error is None, view.error
    return canonical(" ".join(source[r.span.start : r.span.end] for r in view.regions if r.kind is kind))


def erased(source: str) -> list[str]:
    """Specification and executable tokens."""
    reading = read(source)
    return [t.text for t, k in zip(reading.program.lexed.tokens, reading.marks.tokens, strict=True) if k != ANNOTATION]


PRELUDE = """
ghost var world: int
lemma L(x: int) returns (y: int) { y := x; }
ghost method G() { }
method Looks_like_lemma(x: int) returns (y: int) { y := x; }
class C { ghost var g: int; var v: int; lemma P() { } }
"""


@pytest.mark.parametrize(
    "statement",
    [
        "assert x > 0;",
        "assert {:split} P: x > 0 by { assert true; }",
        "assume x > 0;",
        "calc { x; == { assert true; } x; }",
        "ghost var z := x;",
        "ghost var z, w := x, 2;",
        "ghost var z := L(x);",
        "gh := x;",
        "gh, o.g := x, 3;",
        "world := 3;",
        "gh := L(x);",
        "L(x);",
        "o.P();",
        "G();",
        "forall k | 0 <= k < x ensures k >= 0 { L(k); }",
        "forall k | 0 <= k < x { L(k); }",
        "if x > 0 { L(x); } else if x < 0 { assert true; } else { }",
        "if { case x > 0 => L(x); case true => }",
        "match x { case 0 => L(x); case _ => assert true; }",
        "{ assert true; L(x); }",
        "reveal f();",
        "hide *;",
        ";",
        "label here: assert true;",
        "ghost var z; z := 3;",
    ],
)
def test_proof_statements_are_annotations(statement: str) -> None:
    around = PRELUDE + "method M(x: int, o: C) returns (r: int) { ghost var gh := 0; r := 1; %s r := 2; }"
    assert erased(around % statement) == erased(around % "")


@pytest.mark.parametrize(
    "statement",
    [
        "var z := x;",
        "r := x;",
        "o.v := 3;",
        "gh, r := 1, 2;",
        "Looks_like_lemma(x);",
        "gh := Looks_like_lemma(x);",
        "ghost var z := Looks_like_lemma(x);",
        "ghost var z := new C;",
        "a[0] := 1;",
        "print x;",
        "return;",
        "if x > 0 { r := 1; }",
        "if x > 0 { assert true; } else { r := 1; }",
        "while x > 0 { assert true; }",
        "forall i | 0 <= i < 2 { a[i] := 0; }",
        "expect x > 0;",
        "{ var gh := 0; gh := 1; }",
        "modify o;",
        "unknown(x);",
        "gh :- Looks_like_lemma(x);",
    ],
)
def test_statements_with_an_effect_are_executable(statement: str) -> None:
    around = (
        PRELUDE + "method M(x: int, o: C, a: array<int>) returns (r: int) { ghost var gh := 0; r := 1; %s r := 2; }"
    )
    assert erased(around % statement) != erased(around % "")


def test_a_second_declaration_of_a_lemmas_name_makes_its_calls_executable() -> None:
    source = "lemma L() { } method M() { L(); }"
    assert "L ( )" not in parts(source, RegionKind.EXECUTABLE)
    assert "L ( )" in parts(source + " class D { method L() { } }", RegionKind.EXECUTABLE)


def test_regions_of_a_program() -> None:
    source = """
function f(n: nat): nat decreases n { assert n >= 0; calc { n; n; } if n == 0 then 0 else f(n - 1) }
lemma L(n: nat) ensures f(n) == 0 { if n > 0 { L(n - 1); } }
method M(n: nat) returns (r: nat) requires n > 0 ensures r == n decreases n
{
  r := 0; var s := (assert r == 0; 1);
  while r < n invariant r <= n decreases n - r { r := r + s; }
}
method Forever() decreases * { while true decreases * { } }
"""
    assert parts(source, RegionKind.ANNOTATION) == canonical(
        "decreases n assert n >= 0; calc { n; n; } { if n > 0 { L(n - 1); } } decreases n assert r == 0;"
        " invariant r <= n decreases n - r"
    )
    assert parts(source, RegionKind.EXECUTABLE) == canonical(
        "{ r := 0; var s := ( 1); while r < n { r := r + s; } } { while true { } }"
    )
    assert parts(source, RegionKind.SPECIFICATION) == canonical(
        "function f(n: nat): nat { if n == 0 then 0 else f(n - 1) } lemma L(n: nat) ensures f(n) == 0"
        " method M(n: nat) returns (r: nat) requires n > 0 ensures r == n method Forever() decreases * decreases *"
    )


def test_points_do_not_depend_on_annotations() -> None:
    bare = "method M(n: nat) returns (r: nat) { r := 0; while r < n { r := r + 1; } }"
    full = """method M(n: nat) returns (r: nat) {
  assert n >= 0;
  r := 0;
  ghost var g := 1; assert g == 1;
  while r < n invariant r <= n { r := r + 1; assert r <= n; }
  assert r == n;
}"""
    points = [a.point for a in DAFNY.parse(full).annotations if a.kind is AnnotationKind.ASSERT]
    tokens = canonical(bare).split()
    body = tokens[tokens.index("{") :]
    # the hand count: { r := 0 ; while r < n { r := r + 1 ; } }
    assert body == ["{", "r", ":=", "0", ";", "while", "r", "<", "n", "{", "r", ":=", "r", "+", "1", ";", "}", "}"]
    assert points == [Point("token", 1), Point("token", 5), Point("token", 16), Point("token", 17)]


def test_loops_inside_proof_text_are_numbered_last() -> None:
    source = """method M(n: nat) {
  assert true by { var i := 0; while i < 1 { i := i + 1; } }
  var k := 0;
  while k < n { k := k + 1; }
}"""
    loops = DAFNY.parse(source).declarations[0].loops
    assert [(loop.index, loop.line) for loop in loops] == [(0, 4), (1, 2)]


def test_annotations_have_exact_spans() -> None:
    source = "method M(n: nat) decreases n { while n > 9 invariant n > 0; { } calc { n; n; } }"
    annotations = DAFNY.parse(source).annotations
    assert [(a.kind.value, a.text, a.loop) for a in annotations] == [
        ("decreases", "decreases n", None),
        ("invariant", "invariant n > 0;", 0),
        ("calc", "calc { n; n; }", None),
    ]
    assert all(source[a.span.start : a.span.end] == a.text for a in annotations)


CORPORA = ("dafnybench/ground_truth", "dafnybench/hints_removed", "humaneval-dafny", "dafny4-outputs", "audit-cases")


@pytest.mark.parametrize("folder", CORPORA)
def test_public_programs_are_read_without_loss(shared_data: Path, folder: str) -> None:
    unreadable = []
    for path in sorted((shared_data / folder).glob("*.dfy")):
        view = DAFNY.parse(path.read_bytes().decode())
        assert view.lossless, path
        if view.error:
            unreadable.append(f"{path.name}: {view.error}")
    if folder not in ("dafnybench/hints_removed", "audit-cases"):
        assert unreadable == []


def test_the_benchmarks_own_stripped_programs_have_the_regions_of_the_originals(shared_data: Path) -> None:
    """DafnyBench removes whole lines that begin with assert, invariant or decreases: a few are damaged by that."""
    known: dict[str, str] = json.loads((Path(__file__).parent / "hints_removed.json").read_text(encoding="utf-8"))
    compared, different = 0, set()
    for path in sorted((shared_data / "dafnybench/ground_truth").glob("*.dfy")):
        stripped = shared_data / "dafnybench/hints_removed" / f"{path.stem}_no_hints.dfy"
        if stripped.exists():
            compared += 1
            if erased(path.read_bytes().decode()) != erased(stripped.read_bytes().decode()):
                different.add(path.name)
    assert compared == 782
    assert different == set(known)
    assert all(known.values())
    assert len(different) <= 0.03 * compared
