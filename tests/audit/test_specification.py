"""Changes of the specification and of frozen code, and the edits that change neither."""

import random
import time

import pytest

from tests.audit.verdicts import AFTER_LOOP, GIVEN, REPAIR, WRITE, audit, constructs, edit, recorded_cases
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.registry import get_language

pytestmark = pytest.mark.unit

CHANGES = {
    "clause_missing": ("  ensures t == t\n", ""),
    "clause_added": ("  ensures t == t\n", "  ensures t == t\n  requires false\n"),
    "clause_changed": ("requires |s| < 100", "requires |s| < 10"),
    "signature_changed": ("returns (t: int)", "returns (t: nat)"),
    "body_changed": ("SumTo(s, n - 1) + s[n - 1]", "SumTo(s, n - 1) + s[n - 1] + 0"),
    "statement_changed": ("t := t + s[i];", "t := t + s[i] + 0;"),
    "statement_added": (AFTER_LOOP, "  print t;\n" + AFTER_LOOP),
    "statement_removed": ("    t := 7;\n", ""),
}


@pytest.mark.parametrize("construct", CHANGES)
def test_one_change_is_named_and_only_it(construct):
    report = audit(REPAIR, GIVEN, edit(*CHANGES[construct]))
    assert (report.verdict, constructs(report)) == ("reject_spec", {construct})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("forall k :: 0 <= k < |s| ==> s[k] <= m", "forall j :: 0 <= j < |s| ==> s[j] <= m"),
        ("forall k :: 0 <= k < |s| ==> s[k] <= m", "forall k :: (0 <= k < |s|) ==> s[k] <= m"),
        ("predicate Bounds", "ghost predicate Bounds"),
        ("predicate Bounds", "static predicate Bounds"),
        ("predicate Bounds(s: seq<int>, m: int)", "predicate Bounds(m: int, s: seq<int>)"),
        ("lemma Helpful", "method Helpful"),
        ("lemma Helpful", "ghost method Helpful"),
        ("  requires i < |s|\n", ""),
        ("method Note(i: int)\n{\n  print i;\n}\n\n", ""),
        ("method Note(i: int)", "ghost method Note(i: int)"),
        ("method Total(s: seq<int>) returns (t: int)", "method Total<T>(s: seq<int>) returns (t: int)"),
        ("  ensures t == t\n", "  // ensures t == t\n"),
        ("  ensures t == t\n", "  /* /* */ ensures t == t */\n"),
        ("  ensures t == t\n", "  ensures t == t\n  modifies {}\n"),
        ("  requires |s| < 100\n", "  requires |s| < 100\n  requires |s| < 100\n"),
        ("  ensures t == t\n", "  ensures t == t\n  decreases *\n"),
    ],
)
def test_specification_changes(old, new):
    assert audit(REPAIR, GIVEN, edit(old, new)).verdict == "reject_spec"


@pytest.mark.parametrize(
    "added",
    [
        "  Note(i);\n",
        "  var u := 3;\n",
        "  t := 7;\n",
        "  return;\n",
        "  if t == 0 { return; }\n",
        "  if t == 0 { t := 7; }\n",
        "  assert true; print 3;\n",
        "  ghost var u := 3; t := u;\n",
        "  while false { }\n",
        "  var a := new int[3];\n",
        "  var f := SumTo(s, 0);\n",
        "  { t := 7; }\n",
    ],
)
def test_code_added_to_frozen_bodies(added):
    assert audit(REPAIR, GIVEN, edit(AFTER_LOOP, added + AFTER_LOOP)).verdict == "reject_spec"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  var i := 0;\n", "  ghost var i := 0;\n"),
        ("  var i := 0;\n", ""),
        ("  t := 0;\n  var i := 0;\n", "  var i := 0;\n  t := 0;\n"),
        ("while i < |s|", "while i < |s| - 1"),
        ("if t == 7", "if t == 8"),
        ("    t := t + s[i];\n    i := i + 1;\n", "    ghost var i := 0;\n    t := t + s[i];\n    i := i + 1;\n"),
        ("    t := t + s[i];\n    i := i + 1;\n", ""),
        ("  {\n    t := t + s[i];\n    i := i + 1;\n  }\n", ""),
        ("  print i;\n", "  print i; print i;\n"),
        ("  if t == 7 {\n    t := 7;\n  }\n", "  if t == 7 {\n    t := 7;\n  } else { t := 7; }\n"),
        ("  if t == 7 {\n    t := 7;\n  }\n", "  if t == 7 { }\n"),
    ],
)
def test_frozen_code_changes(old, new):
    assert audit(REPAIR, GIVEN, edit(old, new)).verdict != "accept"


def test_a_method_that_looks_like_a_lemma_is_code():
    candidate = edit(AFTER_LOOP, "  LemmaTotal(s);\n" + AFTER_LOOP)
    assert audit(REPAIR, GIVEN, candidate + "\nlemma LemmaTotal(q: seq<int>) { }\n").findings == ()
    assert audit(REPAIR, GIVEN, candidate + "\nmethod LemmaTotal(q: seq<int>) { }\n").verdict == "reject_spec"
    both = candidate + "\nlemma LemmaTotal(q: seq<int>) { }\nclass K { static method LemmaTotal(q: seq<int>) { } }\n"
    assert audit(REPAIR, GIVEN, both).verdict == "reject_spec"


def test_a_call_of_nothing_is_left_to_the_verifier():
    candidate = edit(AFTER_LOOP, "  NoSuchLemma(s);\n" + AFTER_LOOP)
    assert audit(REPAIR, GIVEN, candidate).findings == ()
    outside = 'include "library.dfy"\n' + GIVEN
    assert audit(REPAIR, outside, 'include "library.dfy"\n' + candidate).verdict == "reject_spec"


@pytest.mark.parametrize(
    "added",
    [
        "predicate SumTo2(n: int) { n == 3 } function Bounds(k: int): int { k }",
        "class K { predicate Bounds(n: int) { true } }",
        "class K { }",
        "class Holder { var x: int }",
        "trait T { }",
        "module M { }",
        "type T",
        "iterator It() { }",
        "import M",
        "export E provides Total",
        "const t: int := 3",
        "const int: int := 3",
        "function m(k: int): int { k }",
        "datatype D = Bounds | Other",
        "datatype D = Other(x: int) | Total(y: int)",
    ],
)
@pytest.mark.parametrize("task", [REPAIR, WRITE])
def test_declarations_that_may_not_be_added(task, added):
    assert audit(task, GIVEN, f"{GIVEN}\n{added}\n").verdict == "reject_spec"


@pytest.mark.parametrize("task", [REPAIR, WRITE])
def test_declarations_that_may_be_added(task):
    added = """
lemma {:induction false} Own(q: seq<int>, lo: int)
  requires false
  ensures false
  decreases |q|, lo
{
  assert {:split_here} true;
  forall j | 0 <= j < |q| ensures q[j] == q[j] { }
}
function {:opaque} OwnSum(q: seq<int>): int { if q == [] then 0 else q[0] + OwnSum(q[1..]) }
ghost predicate OwnP<T>(x: T) { true }
method OwnHelper(x: int) returns (y: int) ensures y == x { y := x; }
ghost const ownC: int := 3
datatype OwnTree<T> = OwnLeaf | OwnNode(left: OwnTree<T>, value: T) { predicate OwnIsLeaf() { OwnLeaf? } }
type OwnNat = x: int | x >= 0
"""
    assert audit(task, GIVEN, GIVEN + added).findings == ()


HONEST = {
    "layout": ("  requires |s| < 100\n  ensures t == SumTo(s, |s|)\n", " requires |s|<100 ensures t==SumTo(s,|s|)"),
    "semicolons": ("  requires |s| < 100\n", "  requires |s| < 100;\n"),
    "comments": (
        "  t := 0;\n",
        "  // assume false; {:axiom}\n  t := /* expect */ 0; /* /* free */ {:verify false} */\n",
    ),
    "clause_order": (
        "  ensures t == SumTo(s, |s|)\n  ensures t == t\n",
        "  ensures t == t\n  ensures t == SumTo(s, |s|)\n",
    ),
    "invariants": (
        "  while i < |s|\n",
        "  while i < |s|\n    invariant i <= |s| && t == SumTo(s, i)\n    decreases |s| - i\n",
    ),
    "split_invariants": (
        "  while i < |s|\n",
        "  while i < |s|\n    invariant i <= |s|\n    invariant i <= |s|\n    modifies {}\n",
    ),
    "decreases": ("  requires n <= |s|\n", "  requires n <= |s|\n  decreases n\n"),
    "ghost_code": (
        AFTER_LOOP,
        """\
  ghost var seen := {t};
  seen := seen + {i};
  ghost var a, b := 1, 2;
  label here: assert t == t;
  assert old@here(true);
  if t == 0 { Helpful(s, 0); } else { assert t != 0; }
  match t { case 0 => assert true; case _ => }
  forall k | 0 <= k < |s| ensures SumTo(s, k + 1) == SumTo(s, k) + s[k] { Helpful(s, k); }
  calc { t; == { assert true; } t; }
  assert SumTo(s, 0) == 0 by { if true { Helpful(s, 0); } }
  reveal SumTo();
"""
        + AFTER_LOOP,
    ),
    "ghost_else": (
        "    t := 7;\n  }\n",
        "    t := 7;\n  } else if t == 8 {\n    assert t == 8;\n  } else { Helpful(s, 0); }\n",
    ),
    "assert_in_code": ("    t := 7;\n", "    assert t == 7;\n    t := 7;\n    assert t == 7; assert t == 7;\n"),
    "assert_in_function": ("if n == 0 then 0 else", "if n == 0 then 0 else assert n > 0; Helpful(s, n - 1);"),
    "lemma_body": (
        "{\n}\n\nmethod Note",
        "{\n  var k := i; while k > 0 { k := k - 1; } assert true;\n}\n\nmethod Note",
    ),
    "label": ("    i := i + 1;\n", "    label L: i := i + 1;\n    assert i == old@L(i) + 1;\n"),
}


@pytest.mark.parametrize("edits", HONEST)
def test_honest_repairs(edits):
    assert audit(REPAIR, GIVEN, edit(*HONEST[edits])).findings == ()


def test_order_of_declarations_does_not_matter():
    parts = GIVEN.split("\n\n")
    shuffled = "\n\n".join(reversed(parts)).replace("}\n\n\n", "}\n\n")
    assert audit(REPAIR, GIVEN, shuffled).findings == ()


GIVEN_PROOF = edit(
    AFTER_LOOP,
    """\
  assert t == SumTo(s, |s|);
  ghost var g := t;
  while t > 100
    invariant g == g
    decreases t
  {
    assert t > 100;
    t := t - 1;
  }
"""
    + AFTER_LOOP,
)


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("  assert t == SumTo(s, |s|);\n", "", "reject_spec"),
        ("  assert t == SumTo(s, |s|);\n", "  assert t == t;\n", "reject_spec"),
        ("    assert t > 100;\n    t := t - 1;\n", "    t := t - 1;\n    assert t > 100;\n", "reject_spec"),
        ("  ghost var g := t;\n", "", "reject_spec"),
        ("    invariant g == g\n", "", "reject_spec"),
        ("    invariant g == g\n", "    invariant g == t\n", "reject_spec"),
        ("    decreases t\n", "    decreases *\n", "reject_proof"),
        ("    decreases t\n", "    decreases t + 1\n", "accept"),
        ("    invariant g == g\n", "    invariant t > 0\n    invariant g == g\n    invariant t > 0\n", "accept"),
        ("  assert t == SumTo(s, |s|);\n", "  assert t == SumTo(s, |s|) by { assert i == |s|; }\n", "accept"),
        ("  assert t == SumTo(s, |s|);\n", "  assert t == t; assert t == SumTo(s, |s|); assert t == t;\n", "accept"),
    ],
)
def test_given_proof_text_stays(old, new, verdict):
    assert audit(REPAIR, GIVEN_PROOF, edit(old, new, GIVEN_PROOF)).verdict == verdict


def test_given_asserts_of_lemmas_stay_but_their_proof_is_open():
    given = edit("{\n}\n\nmethod Note", "{\n  assert i >= 0;\n  calc { 1; == 1; }\n}\n\nmethod Note")
    other = edit(
        "  assert i >= 0;\n  calc { 1; == 1; }\n", "  if i == 0 { assert i >= 0; } else { assert i >= 0; }\n", given
    )
    assert audit(REPAIR, given, other).findings == ()
    lost = edit("  assert i >= 0;\n", "", given)
    assert constructs(audit(REPAIR, given, lost)) == {"annotation_removed"}


def test_code_generation_freezes_what_is_not_to_be_written():
    given = """\
function F(n: nat): nat { if n == 0 then 0 else F(n - 1) }
method Done() { }
method M(n: nat)
  decreases n
"""
    good = given + "{ assert true; }\n"
    assert audit(WRITE, given, good).findings == ()
    assert audit(WRITE, given, edit("Done() { }", "Done() { assert true; }", good)).verdict == "reject_spec"
    assert audit(WRITE, given, edit("else F(n - 1)", "else assert true; F(n - 1)", good)).verdict == "reject_spec"
    assert audit(WRITE, given, edit("  decreases n\n", "", good)).verdict == "reject_spec"
    assert audit(WRITE, given, edit("  decreases n\n", "  decreases n, 0\n", good)).verdict == "reject_spec"
    assert audit(WRITE, given, given).verdict == "reject_proof"


def test_patches_may_rewrite_bodies_and_nothing_else():
    patched = edit("    t := 7;\n", "    t := 8;\n")
    assert audit(Task.PATCH_GENERATION, GIVEN, patched).findings == ()
    assert audit(Task.PATCH_GENERATION, GIVEN, edit("    t := 7;\n", "    assume false;\n")).verdict == "reject_proof"
    assert audit(Task.PATCH_GENERATION, GIVEN, edit("  ensures t == t\n", "")).verdict == "reject_spec"


@pytest.mark.parametrize("character", ["\0", "\x1b", "\u202e", "\u2066", "\u200b", "\ufeff", "\u2028", "\ud800"])
def test_characters_outside_of_the_agreed_set(character):
    candidate = edit("  t := 0;\n", f"  // a{character}b\n  t := 0;\n")
    assert constructs(audit(REPAIR, GIVEN, candidate)) == {"character"}
    assert audit(REPAIR, candidate, candidate).findings == ()


def test_letters_of_any_script_may_stand_in_comments():
    candidate = edit("  t := 0;\n", "  // für alle ∀ i, Сумма, 合計, Ａ\r\n\tt := 0;\r\n")
    assert audit(REPAIR, GIVEN, candidate).findings == ()


@pytest.mark.parametrize(
    "slip", ["invariant i <=", "invariant (i <= 3", "invariant i <= |s", "invariant", "decreases", "invariant true)"]
)
def test_a_slip_of_the_pen_is_left_to_the_verifier(slip):
    candidate = edit("  while i < |s|\n", f"  while i < |s|\n    {slip}\n")
    assert get_language("dafny").parse(candidate).error is not None
    assert audit(REPAIR, GIVEN, candidate).findings == ()
    cheat = edit("    t := 7;\n", "    assume false;\n", candidate)
    assert audit(REPAIR, GIVEN, cheat).verdict == "reject_proof"


def test_nothing_hides_behind_depth():
    code = "if t == 0 { " * 60 + "t := 7;" + " }" * 60 + "\n"
    for task in (REPAIR, WRITE, Task.PATCH_GENERATION):
        assert "too_deep" in constructs(audit(task, GIVEN, edit(AFTER_LOOP, code + AFTER_LOOP)))


def test_a_long_candidate_is_audited_soon():
    started = time.process_time()
    for line in ("t := 0;", "assert t == t;", "ghost var u := 0;", "assert (calc { 1; == { assert true; } 1; } true);"):
        audit(REPAIR, GIVEN, edit(AFTER_LOOP, f"  {line}\n" * 1000 + AFTER_LOOP))
    assert time.process_time() - started < 5


def test_no_text_makes_it_raise(shared_data):
    rng = random.Random(7)
    pieces = [
        "{",
        "}",
        "(",
        ")",
        ";",
        '"',
        "/*",
        "*/",
        "'",
        "{:",
        "assume",
        "method",
        "lemma",
        "case",
        ":=",
        "\0",
        "by {",
    ]
    cases = recorded_cases(shared_data)
    for round_ in range(300):
        _, case, given, candidate = cases[round_ % len(cases)]
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(candidate) + 1)
            candidate = candidate[:at] + rng.choice(pieces) + candidate[at + rng.randint(0, 5) :]
        task = Task(case["task"])
        for one, other in ((given, candidate), (candidate, given), (candidate, candidate[: len(candidate) // 2])):
            audit(task, one, other)
    for text in (
        "",
        "\0",
        "{",
        "method",
        "method M() {",
        "lemma L() ensures",
        '"',
        "/*",
        "}" * 500,
        "{" * 500,
        "a" * 5000,
    ):
        assert audit(REPAIR, GIVEN, text).verdict != "accept"
