"""Declarations, clauses, loops and asserts, in both dialects."""

import pytest

from verulaw_rl.languages.base import ProgramView, Task
from verulaw_rl.languages.dafny.language import DAFNY

pytestmark = pytest.mark.unit


def parse(source: str) -> ProgramView:
    view = DAFNY.parse(source)
    assert view.error is None, view.error
    assert view.lossless
    return view


@pytest.mark.parametrize(
    ("source", "kind", "name", "ghost", "body"),
    [
        ("function method f(x: int): int { x }", "function", "f", False, True),
        ("ghost function f<T(==), U>(x: T): (r: U)", "function", "f", True, False),
        ("predicate p(x: int) requires x > 0 { x > 1 }", "predicate", "p", False, True),
        ("least predicate P[nat](x: int) { P(x) }", "predicate", "P", True, True),
        ("inductive predicate P(x: int) { P(x) }", "predicate", "P", True, True),
        ("copredicate P(x: int) { P(x) }", "predicate", "P", True, True),
        ("twostate predicate P(x: int) { true }", "predicate", "P", True, True),
        ("twostate lemma L(x: int) ensures true {}", "lemma", "L", True, True),
        ("colemma L(x: int) ensures true {}", "lemma", "L", True, True),
        ("greatest lemma L[nat](x: int) ensures true", "lemma", "L", True, False),
        ("ghost method M() returns (r: int, s: seq<seq<int>>) { r := 1; }", "method", "M", True, True),
        ("method {:verify true} M<T>(x: T, ghost y: int) modifies {}; { }", "method", "M", False, True),
        ("iterator It(n: int) yields (x: int) yield ensures x > 0 { yield 1; }", "iterator", "It", False, True),
        ("datatype D<+T> = A(x: T, 0: int) | {:a} B | C() { predicate p() { true } }", "datatype", "D", False, True),
        ("codatatype S = Cons(head: int, tail: S)", "codatatype", "S", False, False),
        ("newtype b = x: int | 0 <= x < 256 witness 3", "newtype", "b", False, False),
        ("type T(==, !new)<A, B(0)>", "type", "T", False, False),
        ("type P = x: int | x > 0 ghost witness 1", "type", "P", False, False),
        ("type F = (int, seq<nat>) --> map<int, int>", "type", "F", False, False),
        ("ghost const c: int := 3", "const", "c", False, False),
        ("abstract module M.N refines O { }", "module", "M.N", False, True),
        ("import opened A = B.C`D", "import", "A", False, False),
        ("import A : B", "import", "A", False, False),
        ('include "x.dfy"', "include", '"x.dfy"', False, False),
        ("export E provides a, b.c reveals * extends F", "export", "E", False, False),
        ("trait {:termination false} T<X> extends U<X>, V { var f: int, g: set<T>; }", "trait", "T", False, True),
        ("@AssumeCrossModuleTermination @Axiom(3) class C { }", "class", "C", False, True),
        ("opaque function f(): int by method { return 3; }", "function", "f", False, False),
    ],
)  # fmt: skip
def test_declaration(source: str, kind: str, name: str, ghost: bool, body: bool) -> None:
    if "by method" in source:
        source = source.replace("by method", "{ 3 } by method")
        body = True
    d = parse(source).declarations[0]
    assert (d.kind, d.name, d.body is not None) == (kind, name, body)
    if d.callable:
        assert d.ghost is ghost


def test_paths_signatures_and_lines() -> None:
    source = (
        "module M {\n  class C<T> extends O {\n    ghost var f: int\n    constructor (x: int) ensures true { new; }\n"
        "    static method  {:a 1}  m( x : int )\n      returns (r: int)\n  }\n}\n"
    )
    view = parse(source)
    assert [(d.path, d.line) for d in view.declarations] == [
        ("M", 1), ("M.C", 2), ("M.C.f", 3), ("M.C._ctor", 4), ("M.C.m", 5),
    ]  # fmt: skip
    assert view.by_path["M.C.m"].signature == "static method { : a 1 } m ( x : int ) returns ( r : int )"
    assert view.by_path["M.C"].signature == "class C < T > extends O"
    assert view.by_path["M.C.f"].signature == "ghost var f : int"


def test_clauses_without_separators_end_where_they_should() -> None:
    source = """
method M(a: array<int>, s: set<int>) returns (r: int)
  requires a.Length > 0 requires s == {}
  requires forall x, y: int | x in s :: x > y && (x < y, y > (x)) != (true, false)
  free requires {:tag "}"} f<int, seq<int>>(s) == multiset{1, 2}
  modifies a, {a}; ensures if r > 0 then s != {1} else match r { case 0 => true case _ => false }
  ensures var z := r; z == |s| || |set x | x in s :: x| > 2
  ensures (x => x + 1)(2) == 3 ensures r as int < 5 ensures old(a[..]) == a[0..a.Length]
  decreases a.Length, *
{ }
"""
    clauses = parse(source).declarations[0].clauses
    kinds = "requires requires requires free_requires modifies ensures ensures ensures ensures ensures decreases"
    assert [c.kind.replace(" ", "_") for c in clauses] == kinds.split()
    assert clauses[3].expression == "f<int, seq<int>>(s) == multiset{1, 2}"
    assert clauses[3].canonical.startswith('{ : tag "}" } f < int')
    assert clauses[4].expression == "a, {a}"
    assert source[clauses[4].span.start : clauses[4].span.end] == "modifies a, {a};"
    assert [c.expression for c in clauses[7:10]] == [
        "(x => x + 1)(2) == 3",
        "r as int < 5",
        "old(a[..]) == a[0..a.Length]",
    ]


def test_loops_and_asserts() -> None:
    source = """
method M(n: nat) {
  var i := 0;
  while i < n
    invariant i <= n free invariant true
    decreases n - i
    modifies {}
  {
    for j: int := 0 to n invariant j >= 0 { assert j == j by { assert true; } }
    i := i + 1;
  }
  while
    invariant i >= 0
  { case i > 3 => i := i - 1; case i < 0 => break; }
  while * decreases * { }
  assert {:split} L: i == i;
  while i != i invariant true
  assert i == i;
}
"""
    d = parse(source).declarations[0]
    assert [(loop.line, len(loop.clauses), loop.body is not None) for loop in d.loops] == [
        (4, 4, True), (9, 1, True), (12, 1, True), (15, 1, True), (17, 1, False),
    ]  # fmt: skip
    assert [c.expression for c in d.asserts] == ["j == j", "true", "i == i", "i == i"]
    assert d.asserts[2].canonical == "{ : split } i == i"


def test_recursion_is_found_through_others() -> None:
    source = """
function f(n: nat): nat { if n == 0 then 0 else g(n - 1) }
function g(n: nat): nat { f(n) }
lemma L(n: nat) { if n > 0 { L(n - 1); } }
function h(n: nat): nat { f(n) }
method M(g: int) { var x := g; }
"""
    assert {d.name for d in parse(source).declarations if d.recursive} == {"f", "g", "L"}


def test_targets() -> None:
    source = """
function plain(n: nat): nat { n }
function promising(n: nat): nat ensures promising(n) == n { n }
function unknown(n: nat): nat ensures unknown(n) > 0
lemma L() { }
method M() { }
method Trusted()
class C { constructor () { } }
"""
    view = parse(source)
    assert [d.path for d in DAFNY.targets(view, Task.ANNOTATION_REPAIR)] == ["promising", "L", "M", "C._ctor"]
    assert [d.path for d in DAFNY.targets(view, Task.CODE_GENERATION)] == ["L", "M", "C._ctor"]


@pytest.mark.parametrize(
    "source",
    [
        "method M( { }", "method M() { x := ; }", "}", "lemma", "method M() ensures", "datatype D = ", "garbage",
        "method M() { while x", "function f(): int { 1 2 }", "class C", "method é() { }", "method M() { x; }",
    ],
)  # fmt: skip
def test_what_dafny_cannot_parse_has_an_error_and_stays_lossless(source: str) -> None:
    view = DAFNY.parse(source)
    assert view.error is not None
    assert view.lossless


def test_empty_file() -> None:
    assert DAFNY.parse(" \n").error == "the file is empty"
