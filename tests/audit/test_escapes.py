"""Each construct that is believed without proof, wherever it can hide."""

import pytest

from tests.audit.verdicts import AFTER_LOOP, GIVEN, REPAIR, WRITE, audit, constructs, edit
from verulaw_rl.languages.registry import get_language

pytestmark = pytest.mark.unit

HOLES = {
    "statement": "  %s\n",
    "assert_by": "  assert true by { %s }\n",
    "nested_assert_by": "  assert true by { if t == 0 { assert 1 == 1 by { %s } } }\n",
    "calc_hint": "  calc { t; == { %s } t; }\n",
    "forall_body": "  forall k: int ensures true { %s }\n",
    "ghost_if": "  if t == 0 { assert true; %s }\n",
    "ghost_block": "  { %s }\n",
    "match_case": "  match 1 { case _ => %s }\n",
    "hint_in_expression": "  assert (calc { 1; == { %s } 1; } true);\n",
    "invariant": "    invariant (calc { 1; == { %s } 1; } true)\n",
    "by_in_expression": "  ghost var g := (assert true by { %s } t);\n",
}
STATEMENTS = {
    "assume false;": "assume",
    "assume {:axiom} false;": "assume",
    "assume{:axiom}false;": "assume",
    "label L: assume false;": "assume",
    "assert L: false by { label M: assume false; }": "assume",
    "assert {:trigger (assume false; 3)} true;": "assume",
    "assert (assume false; true);": "assume",
    "ghost var w :| assume w == t + 1;": "assume",
    "expect t == 3;": "expect",
    "assert {:verified_under true} t == 3;": "attribute",
    "assert {:only} t == t;": "attribute",
    'assert { : verify /* } */ false, "}" } t == 3;': "attribute",
    "forall k: int ensures k == 3;": "bodyless_forall",
    "forall k: int ensures k == 3 { }": None,
    "assert t == t;": None,
    "assert forall k {:trigger k * k} :: k * k >= 0;": None,
}


@pytest.mark.parametrize("hole", HOLES)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_statements_in_every_nesting_place(hole, statement):
    place = "  {\n    t := t + s[i];" if hole == "invariant" else AFTER_LOOP
    candidate = edit(place, HOLES[hole] % statement + place)
    report = audit(REPAIR, GIVEN, candidate)
    expected = STATEMENTS[statement]
    if expected is None:
        assert report.findings == ()
    else:
        assert report.verdict == "reject_proof"
        assert expected in constructs(report)


DECLARATIONS = {
    "lemma L(x: int) ensures x == 3": "bodyless_declaration",
    "twostate lemma L(x: int) ensures x == 3": "bodyless_declaration",
    "colemma L(x: int) ensures x == 3": "bodyless_declaration",
    "inductive lemma L(x: int) ensures x == 3": "bodyless_declaration",
    "least lemma L(x: int) ensures x == 3": "bodyless_declaration",
    "function F(x: int): bool ensures x == 3": "bodyless_declaration",
    "ghost function F(x: int): bool ensures x == 3": "bodyless_declaration",
    "function method F(x: int): bool": "bodyless_declaration",
    "ghost predicate P(x: int) ensures x == 3": "bodyless_declaration",
    "method M(x: int) ensures x == 3": "bodyless_declaration",
    "iterator It() yield ensures false": "bodyless_declaration",
    "trait O { lemma Speak() ensures false }": "bodyless_declaration",
    "abstract module A { lemma Speak() ensures false }": "bodyless_declaration",
    "class K { static lemma Speak() ensures false }": "bodyless_declaration",
    "datatype D = D { lemma Speak() ensures false }": "bodyless_declaration",
    "class K { constructor () ensures false }": "bodyless_declaration",
    "ghost const c0: int": "bodyless_constant",
    "lemma {:extern} L(x: int) ensures x == 3 { }": "attribute",
    "lemma {:axiom} L(x: int) ensures x == 3 { }": "attribute",
    "@Axiom lemma L(x: int) ensures x == 3 { }": "attribute",
    "@Verify(false) lemma L(x: int) ensures x == 3 { }": "attribute",
    "@VerifyOnly lemma L(x: int) ensures x == x { }": "attribute",
    "lemma {:rlimit 1} L(x: int) ensures x == 3 { }": "attribute",
    "lemma {:timeLimit 0} L(x: int) ensures x == 3 { }": "attribute",
    "lemma {:no_such_attribute} L(x: int) { }": "attribute",
    "lemma L(x: int) free ensures x == 3 { }": "free_clause",
    "lemma L(x: int) ensures {:verify false} x == 3 { }": "attribute",
    "lemma L(x: int) ensures (assume x == 3; x == 3) { }": "assume",
    "lemma L(x: int) ensures (calc { 1; { forall k: int ensures k == 3; } 1; } x == 3) { }": "bodyless_forall",
    "lemma L(x: int) decreases * { L(x); }": "decreases_star",
    "ghost method L(x: int) decreases * { L(x); }": "decreases_star",
    "lemma L(x: int) { while x < 3 invariant x == 9 }": "bodyless_loop",
    "lemma L(x: int) { while true decreases * { } }": "decreases_star",
    "lemma L(x: int) { var y := x; while y > 0 free invariant false { y := y - 1; } }": "free_clause",
    "function F(x: int): int { assume x == 3; x }": "assume",
    "const c0: int := (assume false; 3)": "assume",
    "type Never = n: int | n < n witness *": "unwitnessed_type",
    "type {:axiom} Never = n: int | n < n": "attribute",
    "newtype {:verify false} Never = n: int | n < n witness 0": "attribute",
    'include "other.dfy"': "include",
    "import X : Y": "abstract_import",
    "module B refines A { }": "refinement",
    "class K { const rule: K -> int }": "function_valued_field",
    "lemma Up(k: bv8) ensures false decreases k { Up(k + 1); }": "bitvector_measure",
    "lemma Up(k: bv8) ensures false { Up(k + 1); }": "bitvector_measure",
    "type Byte = bv8 lemma Up(k: Byte) ensures false { Up(k + 1); }": "bitvector_measure",
    "trait O { } lemma L() returns (r: int) { ghost var o: O := *; }": "value_of_empty_type",
    "trait O { } lemma L() returns (r: int) { ghost var o: O :| true; }": "value_of_empty_type",
    "trait O { } lemma L() returns (r: int) { ghost var o: O; }": "value_of_empty_type",
    "trait O { } datatype W = W(o: O) lemma L() { ghost var w: W := *; }": "value_of_empty_type",
    "trait O { } datatype W = W(o: V) type V = O lemma L() { ghost var w: (W, int) := *; }": "value_of_empty_type",
    "type B = V type V = bv8 lemma Up(k: B) ensures false { Up(k + 1); }": "bitvector_measure",
}


@pytest.mark.parametrize("task", [REPAIR, WRITE])
@pytest.mark.parametrize("declaration", DECLARATIONS)
def test_added_declarations(task, declaration):
    report = audit(task, GIVEN, f"{GIVEN}\n{declaration}\n")
    assert report.verdict == "reject_proof"
    assert DECLARATIONS[declaration] in constructs(report)


GIVEN_WRITE = """\
class Cell { var x: int }

method Larger(a: int, b: int) returns (m: int)
  ensures m >= a && m >= b
  ensures m == a || m == b
"""
BODIES = {
    "{ m :| m >= a && m >= b && (m == a || m == b); }": "such_that_implementation",
    "{ var q :| q >= a && q >= b; m := q; }": "such_that_implementation",
    "{ m := var q :| q >= a && q >= b; q; }": "such_that_implementation",
    "{ if q :| q >= a && q >= b { m := q; } }": "such_that_implementation",
    "{ m :| m in (iset y | y >= a && y >= b); }": "such_that_implementation",
    "{ m :- assume Try(a); }": "assume",
    "{ m :- expect Try(a); }": "expect",
    "{ m := a; expect m >= b; }": "expect",
    "{ m := a; while m < b decreases * { } }": "decreases_star",
    "{ m := a; while !(m >= b) }": "bodyless_loop",
    "{ var q := '\"'; assume false; var r := '\"'; }": "assume",
    '{ var q := @"\\"; assume false; var r := @"\\"; }': "assume",
    '{ var q := "\\""; assume false; var r := "\\""; }': "assume",
    "{ var q' := a; assume false; var r' := b; }": "assume",
    "{ // a comment\rassume false;\n }": "assume",
    "{ /* /* */ */ assume false; }": "assume",
    "": "bodyless_target",
    " decreases * { m := Larger(a, b); }": "clause_added",
    "{ m := if a > b then a else b; }": None,
    "{ var q :| q in {a, b} && q >= a && q >= b; m := q; }": None,
    "{ var q :| 0 <= q < 10 && q != a; m := if a > b then a else b; }": None,
    "{ ghost var q :| q >= a; m := if a > b then a else b; }": None,
    "{ m := *; if m < a || m < b { m := if a > b then a else b; } }": None,
    '{ var q := "assume false; {:axiom}"; // assume false;\n m := if a > b then a else b; }': None,
    "{ /* assume false; /* {:verify false} */ assume */ m := if a > b then a else b; }": None,
    "{ var c: Cell; c := new Cell; m := if a > b then a else b; }": None,
}


@pytest.mark.parametrize("body", BODIES)
def test_written_bodies(body):
    report = audit(WRITE, GIVEN_WRITE, GIVEN_WRITE + body)
    expected = BODIES[body]
    assert (expected is None and report.findings == ()) or expected in constructs(report)


@pytest.mark.parametrize(
    ("attribute", "verdict"),
    [
        ("{:inline 1}", "reject_proof"),
        ("{:selective_checking}", "reject_proof"),
        ("{ : verify /* } */ false }", "reject_proof"),
        ("{:verify true}", "reject_proof"),
        ("{:rlimit 1}", "reject_proof"),
        ("{:rlimit 5000}", "accept"),
        ("{:timeLimitMultiplier 4}", "accept"),
        ("{:vcs_split_on_every_assert}", "accept"),
        ("{:induction false}", "accept"),
        ("{:opaque}", "reject_spec"),
        ("{:fuel 3}", "reject_spec"),
        ("{:autoReq}", "reject_spec"),
        ("{:autocontracts}", "reject_spec"),
    ],
)
def test_attributes_on_given_declarations(attribute, verdict):
    candidate = edit("method Total(", f"method {attribute} Total(")
    assert audit(REPAIR, GIVEN, candidate).verdict == verdict


def test_an_assume_of_the_author_stays_at_its_place_only():
    given = edit("  var i := 0;\n", "  var i := 0;\n  assume |s| < 50;\n")
    assert audit(REPAIR, given, given).findings == ()
    moved = edit("  assume |s| < 50;\n", "", given)
    moved = edit(AFTER_LOOP, "  assume |s| < 50;\n" + AFTER_LOOP, moved)
    assert audit(REPAIR, given, moved).verdict == "reject_proof"
    twice = edit("  assume |s| < 50;\n", "  assume |s| < 50;\n  assume |s| < 50;\n", given)
    assert audit(REPAIR, given, twice).verdict == "reject_proof"


def test_an_assume_of_the_author_in_a_lemma_may_not_move():
    given = edit("{\n}\n\nmethod Note", "{\n  if i == 0 {\n    assume |s| < 50;\n  }\n}\n\nmethod Note")
    more = edit("  if i == 0 {\n", "  assert i < |s|;\n  if i == 0 {\n", given)
    assert audit(REPAIR, given, more).findings == ()
    moved = edit("  if i == 0 {\n    assume |s| < 50;\n  }\n", "  assume |s| < 50;\n", given)
    assert audit(REPAIR, given, moved).verdict == "reject_proof"


def test_escapes_of_a_whole_program():
    escapes = get_language("dafny").escapes
    assert escapes(GIVEN) == ()
    assert {f.construct for f in escapes(GIVEN_WRITE)} == {"bodyless_declaration"}
    author = "class {:autocontracts} C { method {:verify true} M() { var x :| x > 3; } }\nmodule B refines A { }\n"
    assert escapes(author) == ()
    program = (
        "lemma {:axiom} L()\nmethod {:extern} M()\nmethod N() decreases * { assume false; while true decreases * { } }"
    )
    found = [(f.construct, f.declaration) for f in escapes(program)]
    assert set(found) == {
        ("attribute", "L"),
        ("bodyless_declaration", "L"),
        ("attribute", "M"),
        ("bodyless_declaration", "M"),
        ("decreases_star", "N"),
        ("assume", "N"),
    }
