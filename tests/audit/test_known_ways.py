"""Every known way to make Dafny accept what is not proved, or to weaken what is checked, in one list.

Each entry is one construct in one place, with what the audit says of it; ``accept`` marks what looks like an escape
and is none, or what the verifier itself refuses. Ways that only the verifier's answer shows (vacuity, coverage,
summaries) are tested where it is asked: ``test_vacuity``, ``test_refused_by_the_verifier``,
``tests/evidence/test_coverage`` and ``tests/verification/test_output``.
"""

import pytest

from tests.audit.verdicts import AFTER_LOOP, GIVEN, REPAIR, WRITE, audit, edit

pytestmark = pytest.mark.unit

ACCEPT, SPEC, PROOF = "accept", "reject_spec", "reject_proof"

STATEMENTS = {
    "assume false;": PROOF,
    "assert true; assume false;": PROOF,
    "ghost var q := (assume false; 3);": PROOF,
    "ghost var q :| assume q > 3;": PROOF,
    "var q :- assume Try();": PROOF,
    "var q :- expect Try();": PROOF,
    "expect t == 3;": PROOF,
    'expect t == 3, "message";': PROOF,
    "assert {:verified_under true} t == 3;": PROOF,
    "assert {:verified_under 1 < 2} t == 3;": PROOF,
    "assert {:only} true;": PROOF,
    'assert {:only "before"} true;': PROOF,
    'assert {:only "after"} true;': PROOF,
    "assert {:start_checking_here} true;": PROOF,
    "assert t == 3 by { assume t == 3; }": PROOF,
    "calc { t; { assume t == 3; } 3; }": PROOF,
    "forall k: int ensures k == 3 { assume k == 3; }": PROOF,
    "{ { assume false; } }": PROOF,
    "forall k: int ensures k == 3;": PROOF,
    "forall k: int | k > 0 ensures k == 3": PROOF,
    "while t > 0 invariant t == 3": PROOF,
    "modify {};": SPEC,
    "modify {} { }": SPEC,
    "...;": SPEC,
    "ghost var q := *;": ACCEPT,
    "ghost var q: int := *;": ACCEPT,
    "var q := *;": SPEC,
    "print 3;": SPEC,
    "reveal SumTo();": ACCEPT,
    "hide *;": ACCEPT,
    "label here: assert true;": ACCEPT,
    "calc { 1; == 1; }": ACCEPT,
    "assert {:split_here} true;": ACCEPT,
    "assert {:focus} true;": ACCEPT,
    "assert {:subsumption 0} true;": ACCEPT,
    'assert {:error "assume false"} true;': PROOF,
    "assert {:contradiction} true;": ACCEPT,
    "ghost var {:assumption} q := true;": PROOF,
    "forall k: int ensures k == k { }": ACCEPT,
    "while true decreases * { }": PROOF,
}
"""What may stand in a frozen method body."""

WRITTEN = {
    "t := SumTo(s, |s|); assume false;": PROOF,
    "t :- assume Try();": PROOF,
    "t :- expect Try();": PROOF,
    "t :| t == SumTo(s, |s|);": PROOF,
    "t :| assume t == SumTo(s, |s|);": PROOF,
    "while t < 3 invariant t == SumTo(s, |s|)": PROOF,
    "while t < 3 free invariant false { t := t + 1; }": PROOF,
    "while true decreases * { }": PROOF,
    "for i := 0 to 3 invariant t == SumTo(s, |s|)": PROOF,
    "t := *; modify {};": ACCEPT,
    "forall k: int ensures k == 3;": PROOF,
    "t := (assume false; 3);": PROOF,
    "var o: Never :| true;": PROOF,
    "var o: Never := *;": PROOF,
    "t := 3; print t; label L: t := 4;": ACCEPT,
    "return (assume false; 3);": PROOF,
    "t := match 3 case _ => (assume false; 3);": PROOF,
    "var f := (x: int) => (assume false; x); t := f(3);": PROOF,
    "var f := x requires (assume false; x == x) => x; t := 3;": PROOF,
    "t := if (assume false; true) then 3 else 4;": PROOF,
    'assert {:error "1 verified, 0 errors"} true;': PROOF,
}
"""A body that is to be written."""

MEMBERS = {
    "lemma L(x: int) ensures x == 3": PROOF,
    "twostate lemma L(x: int) ensures x == 3": PROOF,
    "inductive lemma L(x: int) ensures x == 3": PROOF,
    "least lemma L(x: int) ensures x == 3": PROOF,
    "greatest lemma L(x: int) ensures x == 3": PROOF,
    "colemma L(x: int) ensures x == 3": PROOF,
    "function F(x: int): int ensures F(x) == x": PROOF,
    "predicate F(x: int) ensures x == 3": PROOF,
    "function F(): Never": PROOF,
    "twostate predicate F(x: int)": PROOF,
    "method M(x: int) ensures x == 3": PROOF,
    "ghost method M(x: int) ensures x == 3": PROOF,
    "class K { constructor () ensures false }": PROOF,
    "iterator It() yields (x: int) yield ensures false": PROOF,
    "trait O { lemma Speak() ensures false }": PROOF,
    "trait O { static lemma Speak() ensures false }": PROOF,
    "trait O { function F(): int ensures false }": PROOF,
    "abstract module A { lemma Speak() ensures false } module B refines A { } import B": PROOF,
    "module A { lemma Speak() ensures false }": PROOF,
    "import X : A": PROOF,
    "ghost const none: Never": PROOF,
    "const none: int": PROOF,
    "class K { ghost const none: Never }": PROOF,
    "type {:axiom} Own = x: int | x < x": PROOF,
    "type {:verify false} Own = x: int | x < x witness 0": PROOF,
    "newtype {:verify false} Own = x: int | x < x witness 0": PROOF,
    "type Own = x: int | x < x witness *": PROOF,
    "type Own = x: int | false": ACCEPT,
    "type Own = x: int | x > 3 witness 4": ACCEPT,
    "type Own = x: int | x > 3 ghost witness 4": ACCEPT,
    "type Own = x: int | (assume false; true)": PROOF,
    "type Own = x: int | x > 3 witness (assume false; 0)": PROOF,
    "module {:extern} E { }": PROOF,
    "class {:extern} E { }": PROOF,
    "method {:extern} E() ensures false": PROOF,
    "function {:extern} E(): int ensures false": PROOF,
    'lemma {:dllimport "x", "y"} E() ensures false { }': PROOF,
    "lemma L(x: int) free requires x == 3 ensures x == 3 { }": PROOF,
    "lemma L(x: int) free ensures x == 3 { }": PROOF,
    "ghost method M() ensures false decreases * { M(); }": PROOF,
    "lemma L() ensures false decreases * { L(); }": PROOF,
    'include "other.dfy"': PROOF,
    "import M": SPEC,
    "import opened M": SPEC,
    "export provides Total": SPEC,
    "trait {:termination false} O { }": PROOF,
    "@AssumeCrossModuleTermination module Own { }": PROOF,
    "replaceable module Own { }": SPEC,
    "module Own replaces Other { }": PROOF,
    "function Own(x: int): int { x } by method { return x; }": ACCEPT,
    "function Own(x: int): int { x } by method { assume false; return x; }": PROOF,
    "function Own(x: int): int { x } by method { r :| r == x; }": PROOF,
    "opaque function Own(x: int): int { x }": ACCEPT,
    "function {:opaque} {:fuel 3} Own(x: int): int { x }": ACCEPT,
    "lemma {:induction x} Own(x: nat) ensures x >= 0 { }": ACCEPT,
    "lemma Own() requires false ensures false { }": ACCEPT,
    "lemma Own(k: bv8) ensures false decreases k { Own(k + 1); }": PROOF,
    "class K { const f: K -> int }": PROOF,
    "class K { var f: K ~> int }": PROOF,
    "datatype Own = Own1(x: Never)": ACCEPT,
    "ghost const own := (assume false; 3)": PROOF,
    "datatype Own = Own1(x: int := (assume false; 3))": PROOF,
    "lemma Own(x: int := (assume false; 3)) { }": PROOF,
    "@Verify(false) lemma Own() ensures false { }": PROOF,
    "@VerifyOnly lemma Own() { }": PROOF,
    "@Axiom lemma Own() ensures false { }": PROOF,
    '@Options("--function-syntax:3") module Own { }': PROOF,
    "@AutoRequires function Own(x: int): int { x }": ACCEPT,
    "@AutoContracts class Own { }": PROOF,
    "@IsolateAssertions lemma Own() { }": ACCEPT,
    '@ResourceLimit("1") lemma Own() { }': PROOF,
}
"""What may be added to a program."""

ON_GIVEN = {
    "{:verify false}": PROOF,
    "{ : verify /* } */ false }": PROOF,
    "{:verify !true}": PROOF,
    "@Verify(false)": PROOF,
    "{:only}": PROOF,
    "@VerifyOnly": PROOF,
    "{:selective_checking}": PROOF,
    "{:inline}": PROOF,
    "{:inline 1}": PROOF,
    "{:verified_under true}": PROOF,
    "{:axiom}": PROOF,
    "{:ignore}": PROOF,
    "{:extern}": PROOF,
    "{:dllimport}": PROOF,
    "{:autoReq}": SPEC,
    "@AutoRequires": SPEC,
    "{:autocontracts}": SPEC,
    "@AutoContracts": SPEC,
    "{:assume_concurrent}": PROOF,
    "{:concurrent}": PROOF,
    "{:synthesize}": PROOF,
    "{:test}": PROOF,
    "{:handle}": PROOF,
    "{:kInductionDepth 1}": PROOF,
    "{:entrypoint}": PROOF,
    "{:expand}": PROOF,
    '{:builtin "x"}': PROOF,
    '{:bvbuiltin "x"}': PROOF,
    '{:smt_option "x", "y"}': PROOF,
    "{:always_assume}": PROOF,
    "{:InlineAssume}": PROOF,
    "{:may_unverified_instrumentation}": PROOF,
    "{:partition}": PROOF,
    "{:no_inline}": PROOF,
    "{:weight 3}": PROOF,
    '{:id "x"}': PROOF,
    '{:checksum "x"}': PROOF,
    "{:_trustWellformed}": PROOF,
    '{:error "x"}': PROOF,
    '{:options "-functionSyntax:4"}': SPEC,
    '@Options("--function-syntax:4")': SPEC,
    "{:rlimit 1}": PROOF,
    "{:rlimit 100000}": ACCEPT,
    "{:resource_limit 100000}": ACCEPT,
    "{:resource_limit 1}": PROOF,
    "{:timeLimit 0}": PROOF,
    "{:timeLimit 60}": ACCEPT,
    "{:timeLimitMultiplier 0}": PROOF,
    "{:timeLimitMultiplier 4}": ACCEPT,
    "{:termination false}": PROOF,
    "{:opaque}": SPEC,
    "{:fuel 3}": SPEC,
    "{:nativeType}": SPEC,
    "{:compile false}": SPEC,
    "{:abstemious}": SPEC,
    "{:induction false}": ACCEPT,
    "{:split false}": ACCEPT,
    "{:vcs_split_on_every_assert}": ACCEPT,
    "{:vcs_max_splits 4}": ACCEPT,
    "{:isolate_assertions}": ACCEPT,
    "{:tailrecursion false}": ACCEPT,
    "{:nowarn}": ACCEPT,
    "{:autotriggers false}": ACCEPT,
    "{:matchinglooprewrite false}": ACCEPT,
    "{:warnShadowing false}": ACCEPT,
    '{:split "}"}': ACCEPT,
}
"""Attributes put on a given method (on a lemma, a function and a clause as well, where they must not pass)."""


@pytest.mark.parametrize("text", STATEMENTS)
def test_statements(text):
    assert audit(REPAIR, GIVEN, edit(AFTER_LOOP, f"  {text}\n{AFTER_LOOP}")).verdict == STATEMENTS[text]


TO_WRITE = "trait Never { }\n" + GIVEN[: GIVEN.rindex("{\n  t := 0;")]


@pytest.mark.parametrize("text", WRITTEN)
def test_written_bodies(text):
    assert audit(WRITE, TO_WRITE, f"{TO_WRITE}{{ {text} }}\n").verdict == WRITTEN[text]


@pytest.mark.parametrize("text", MEMBERS)
def test_added_declarations(text):
    given = "trait Never { }\n" + GIVEN
    assert audit(REPAIR, given, f"{given}\n{text}\n").verdict == MEMBERS[text]


@pytest.mark.parametrize("text", ON_GIVEN)
def test_attributes(text):
    after = "" if text.startswith("@") else text
    before = text if text.startswith("@") else ""
    for keyword, name in (("method", "Total"), ("lemma", "Helpful"), ("function", "SumTo")):
        candidate = edit(f"{keyword} {name}(", f"{before} {keyword} {after} {name}(")
        assert audit(REPAIR, GIVEN, candidate).verdict == ON_GIVEN[text], keyword
    if after and ON_GIVEN[text] is not ACCEPT:
        for place in ("requires |s| < 100", "ensures t == t"):
            clause, rest = place.split(" ", 1)
            assert audit(REPAIR, GIVEN, edit(place, f"{clause} {text} {rest}")).verdict != ACCEPT


MODULES = """\
module Base {
  predicate P(x: int) { x > 3 }
  datatype Colour = Red | Green(shade: int)
  type Small = x: int | 0 <= x < 9 witness 3
  type Name = string
  newtype Byte = x: int | 0 <= x < 256
  const limit: int := 7
  trait Shape { predicate Valid() reads this  method Area() returns (a: int) requires Valid() ensures a >= 0 }
  export provides P, limit reveals Colour
}
module Library {
  function Abs(x: int): int { if x < 0 then -x else x }
}
module Program {
  import opened Base
  import L = Library
  class Cell extends Shape {
    var x: int
    ghost var model: int
    predicate Valid() reads this { x == model }
    method Area() returns (a: int)
      requires Valid()
      ensures a >= 0
    {
      a := L.Abs(x);
    }
    method Set(n: int, other: Cell?)
      requires P(n) && Valid() && L.Abs(n) < limit
      modifies this
      ensures x == n && old(x) == old(x) && unchanged(other)
      ensures forall y :: y in {n} ==> y == x
      decreases n, 3
    {
      x := n;
      model := n;
    }
  }
  class Other { }
  function Uses(c: Colour): int { match c case Red => 0 case Green(s) => s }
}
"""

CHANGES = [
    ("requires P(n) && Valid() && L.Abs(n) < limit", "requires false"),
    ("      modifies this\n", "      requires n == 3\n      requires n == 4\n      modifies this\n"),
    ("L.Abs(n) < limit", "L.Abs(n) < limit - 1"),
    (" && unchanged(other)", ""),
    ("ensures a >= 0\n    {", "ensures a >= 0 || true\n    {"),
    ("      ensures a >= 0\n    {", "    {"),
    ("==> y == x", "<== y == x"),
    ("y in {n}", "y in {}"),
    ("{ x > 3 }", "{ true }"),
    ("{ x > 3 }", ""),
    ("x == model }", "x >= model }"),
    ("-x else x }", "x else x }"),
    ("predicate Valid() reads this  method", "predicate Valid() reads this { true } method"),
    ("predicate Valid() reads this  method", "predicate Valid() reads this ensures Valid() method"),
    ("  class Other { }", "  class Other { predicate P(x: int) { true } }"),
    ("    ghost var model", "    predicate P(x: int) { true }\n    ghost var model"),
    ("    ghost var model", "    const limit: int := 99\n    ghost var model"),
    ("  class Other { }", "  predicate P(x: int) { true }\n  class Other { }"),
    ("  class Other { }", "  const Red: int := 3\n  class Other { }"),
    ("  class Other { }", "  datatype Own = Red\n  class Other { }"),
    ("  class Other { }", "  module L { function Abs(x: int): int { 0 } }\n  class Other { }"),
    ("  class Other { }", "  import M = Base\n  class Other { }"),
    ("import L = Library", "import L = Base"),
    ("import L = Library", "import L : Library"),
    ("import opened Base", "import Base"),
    ("  import L = Library\n", ""),
    ("string", "seq<int>"),
    ("| 0 <= x < 9 witness 3", "| 0 <= x < 10 witness 3"),
    ("witness 3", "witness 4"),
    ("witness 3", "witness *"),
    ("| 0 <= x < 256", "| 0 <= x < 255"),
    ("newtype Byte = x: int | 0 <= x < 256", "type Byte = x: int | 0 <= x < 256"),
    ("Red | Green(shade: int)", "Red"),
    ("Red | Green(shade: int)", "Red | Green(shade: int) | Blue"),
    ("Red | Green(shade: int)", "Green(shade: int) | Red"),
    ("Green(shade: int)", "Green(shade: nat)"),
    ("datatype Colour", "datatype Colour<T>"),
    ("datatype Colour", "codatatype Colour"),
    ("const limit: int := 7", "const limit: int := 8"),
    ("const limit: int := 7", "const limit: int"),
    ("const limit: int := 7", "ghost const limit: int := 7"),
    ("var x: int", "var x: nat"),
    ("    ghost var model: int\n", "    var model: int\n"),
    ("Set(n: int, other: Cell?)", "Set(n: nat, other: Cell?)"),
    ("Set(n: int, other: Cell?)", "Set(n: int, other: Cell)"),
    ("Set(n: int, other: Cell?)", "Set(other: Cell?, n: int)"),
    ("Set(n: int, other: Cell?)", "Set(ghost n: int, other: Cell?)"),
    ("Set(n: int, other: Cell?)", "Set(n: int := 3, other: Cell?)"),
    ("Set(n: int, other: Cell?)", "Set(n: int, nameonly other: Cell?)"),
    ("method Set(", "static method Set("),
    ("method Set(", "ghost method Set("),
    ("method Set(", "constructor Set("),
    ("returns (a: int)\n      requires", "returns (a: real)\n      requires"),
    ("class Cell extends Shape", "class Cell"),
    ("class Cell extends Shape", "trait Cell extends Shape"),
    ("class Cell extends Shape", "class Cell<T> extends Shape"),
    ("class Cell extends Shape", "class {:autocontracts} Cell extends Shape"),
    ("      modifies this\n", "      modifies this, other\n"),
    ("      modifies this\n", ""),
    ("      modifies this\n", "      modifies set o: object | true :: o\n"),
    ("reads this { x", "reads * { x"),
    ("reads this { x", "{ x"),
    ("old(x) == old(x)", "x == old(x)"),
    ("unchanged(other)", "true"),
    ("decreases n, 3", "decreases *"),
    ("module Base {", "abstract module Base {"),
    ("module Program {", "module Program refines Base {"),
    ("module Program {", "module Programme {"),
    ("export provides P, limit reveals Colour", "export provides limit reveals Colour"),
    ("export provides P, limit reveals Colour", "export reveals P, limit, Colour"),
    ("  export provides P, limit reveals Colour\n", ""),
    (
        "  export provides P, limit reveals Colour\n",
        "  export provides P, limit reveals Colour\n  export All reveals *\n",
    ),
    ("      ensures x == n && old(x)", "      // ensures x == n && old(x)"),
    ("      ensures forall y", "      /* ensures */ // forall y"),
    ("      modifies this\n", "      /* /* */ modifies this */\n"),
    ("forall y :: y in {n} ==> y == x", "forall x :: x in {n} ==> x == x"),
    ("forall y :: y in {n} ==> y == x", "(forall y :: y in {n}) ==> n == x"),
    ("x == n && old(x) == old(x)", "(x == n && old(x)) == old(x)"),
    ("      x := n;", "      x := n + 0;"),
    ("      x := n;", "      return; x := n;"),
    ("      x := n;", "      ghost var x := n;"),
    ("      x := n;\n", ""),
    ("case Green(s) => s", "case Green(s) => s + 0"),
    ("case Red => 0 case", "case _ => 0 case"),
]
"""Changes of a specification spread over modules, classes and traits."""


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_specification_changes(old, new):
    assert audit(REPAIR, MODULES, MODULES).findings == ()
    assert audit(REPAIR, MODULES, edit(old, new, MODULES)).verdict != ACCEPT


DECOYS = [
    # the contract kept on a declaration of the same name somewhere else
    (
        "method Total(s: seq<int>) returns (t: int)\n",
        "method Total(s: seq<int>) returns (t: int)\n{ t := 0; }\n"
        "abstract module Kept { method Total(s: seq<int>) returns (t: int)\n",
    ),
    ("method Total(", "class Kept { method Total("),
    ("method Total(", "method Totally("),
    ("predicate Bounds(", "class Kept { static predicate Bounds("),
]


@pytest.mark.parametrize(("old", "new"), DECOYS)
def test_decoys(old, new):
    candidate = edit(old, new) + ("}\n" if "{ " in new or "Kept" in new else "")
    assert audit(REPAIR, GIVEN, candidate).verdict != ACCEPT


@pytest.mark.parametrize("given", [GIVEN])
def test_the_target_must_be_there_with_a_body(given):
    head = given[: given.rindex("{\n  t := 0;")]
    assert audit(WRITE, head, head).verdict == PROOF
    assert audit(WRITE, head, 'include "given.dfy"\n').verdict != ACCEPT
    assert (
        audit(WRITE, head, f"{head}\nmethod Wrapper(s: seq<int>) returns (t: int) {{ t := Total(s); }}").verdict
        == PROOF
    )
    assert audit(WRITE, head, "").verdict != ACCEPT


LEXICAL = {
    "// a comment\rassume false;": PROOF,
    "/* /* */ */ assume false;": PROOF,
    "/* /* */ assume false; */": ACCEPT,
    'assert "/*" != ""; assume false; assert "*/" != "";': PROOF,
    'assert "//" != ""; assume false;': PROOF,
    'assert @"\\" != ""; assume false; assert @"\\" != "";': PROOF,
    'assert @"""" != ""; assume false; assert @"""" != "";': PROOF,
    "assert '\"' != 'a'; assume false; assert '\"' != 'a';": PROOF,
    "ghost var m' := 3; assume false; ghost var n' := 4;": PROOF,
    "assert { : verify false } true;": PROOF,
    'assert {:split "}"} true; assume false;': PROOF,
    "assert true;\x0bassume false;": PROOF,
    "assert true;\x0c// x\nassume false;": PROOF,
    "// x\u2028assume false;": SPEC,
    "// x\x85assume false;": SPEC,
    "// \u202e;eslaf emussa": SPEC,
    "assert true; // x\x00": SPEC,
    "ghost var assumed, expected, freeing := 1, 2, 3;": ACCEPT,
    "ghost var least, older, hide := 1, 2, 3;": ACCEPT,
    "ghost var аssume := 3;": SPEC,  # the first letter is Cyrillic: no Dafny token
    "\uff21ssume false;": SPEC,  # a full-width letter: no Dafny token
}
"""What the verifier reads, not what a person or a regular expression sees."""


@pytest.mark.parametrize("text", LEXICAL)
def test_lexical_traps(text):
    candidate = edit(AFTER_LOOP, f"  {text}\n{AFTER_LOOP}")
    report = audit(REPAIR, GIVEN, candidate)
    if text in ("ghost var аssume := 3;", "\uff21ssume false;"):
        from verulaw_rl.languages.registry import get_language

        assert get_language("dafny").parse(candidate).error is not None
    else:
        assert report.verdict == LEXICAL[text]
