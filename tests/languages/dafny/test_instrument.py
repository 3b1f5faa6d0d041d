"""Probes and checks at program points: the text, and what Dafny says of it."""

import re
import subprocess
from pathlib import Path

import pytest

from verulaw_rl.errors import UserError
from verulaw_rl.languages.base import Category, Check, Instrumented, Point
from verulaw_rl.languages.dafny.language import DAFNY
from verulaw_rl.languages.dafny.tokens import canonical
from verulaw_rl.verification.dafny.find import DafnyTool, find_dafny

REFERENCE = """\
method Sum(a: array<int>, n: int) returns (s: int, ok: bool)
  requires 0 <= n <= a.Length
  ensures ok ==> n > 0
{
  if n == 0 {
    return 0, false;
  }
  s := 0;
  var i := 0;
  while i < n
    invariant 0 <= i <= n
    invariant i > 0 ==> n > 0 // kept
    decreases n - i
  {
    assert i < a.Length;
    s := s + a[i];
    i := i + 1;
  }
  calc { i; == n; <= a.Length; }
  ghost var g := i;
  assert g == n;
  return s, n > 0;
}
"""


def instrument(program: str, *checks: tuple[str, Point, str], drop: bool = False) -> Instrumented:
    view = DAFNY.parse(program)
    spans = tuple(a.span for a in view.annotations) if drop else ()
    made = tuple(Check(str(i), d, p, e) for i, (d, p, e) in enumerate(checks))
    return DAFNY.instrument(program, made, spans)


def line(result: Instrumented, site: int) -> str:
    placed = result.sites[site]
    assert placed.first_line == placed.last_line
    return result.text.split("\n")[placed.first_line - 1]


@pytest.mark.unit
def test_probes_of_a_reference() -> None:
    given = DAFNY.strip_annotations(REFERENCE)
    loop = (Point("loop_head", 0), Point("after_loop", 0))
    assert [(p.category, p.points, p.expression) for p in DAFNY.probes(REFERENCE, given)] == [
        (Category.INVARIANT, loop, "0 <= i <= n"),
        (Category.INVARIANT, loop, "i > 0 ==> n > 0"),
        (Category.ASSERTION, (Point("token", 26),), "i < a.Length"),
        (Category.ASSERTION, (Point("token", 42),), "(i) == (n)"),
        (Category.ASSERTION, (Point("token", 42),), "(n) <= (a.Length)"),
        (Category.ASSERTION, (Point("token", 42),), "g == n"),
    ]
    body = canonical(given[given.index("{\n  if") :].replace("ghost var g := i;", "")).split(" ")
    assert (body[26:29], body[42:44]) == (["s", ":=", "s"], ["return", "s"])
    assert DAFNY.probes(REFERENCE, REFERENCE) == ()


@pytest.mark.unit
def test_kept_annotations_are_no_probes_and_repeated_ones_are_counted() -> None:
    reference = "method M() { assert 1 > 0; assert 1 > 0; assert 2 > 0; }"
    given = "method M() { assert 1 > 0; }"
    assert [p.expression for p in DAFNY.probes(reference, given)] == ["1 > 0", "2 > 0"]


@pytest.mark.unit
def test_no_probes_of_what_no_executable_text_fixes() -> None:
    reference = """
lemma L() ensures true { assert 1 > 0; }
function f(): int { assert 1 > 0; 3 }
method M(n: int) { ghost var g := n; assert g == n; if n > 0 { assert n > 0; } assert true by { assert 2 > 1; } }
"""
    given = DAFNY.strip_annotations(reference).replace("ghost var g := n;", "")
    assert [p.expression for p in DAFNY.probes(reference, given)] == ["true"]


@pytest.mark.unit
def test_checks_stand_on_lines_of_their_own_at_their_points() -> None:
    result = instrument(
        REFERENCE,
        ("Sum", Point("entry"), "n >= 0 // why\n && true"),
        ("Sum", Point("loop_head", 0), "i >= 0"),
        ("Sum", Point("after_loop", 0), "i == n"),
        ("Sum", Point("token", 26), "i < n"),
        ("Sum", Point("exit"), "ok ==> n > 0"),
        ("Sum", Point("token", 27), "false"),
        ("Sum", Point("loop_head", 1), "false"),
        ("Nobody", Point("exit"), "false"),
        drop=True,
    )
    assert result.unplaced == ("5", "6", "7")
    assert [(s.check, s.after_loops) for s in result.sites] == [
        ("0", ()), ("4", ()), ("1", (0,)), ("3", (0,)), ("2", (0,)), ("4", (0,)),
    ]  # fmt: skip
    assert line(result, 0) == "if * { assert (n >= 0 && true); assume false; }"
    assert all(line(result, i).startswith("if * { assert (") for i in range(6))
    text = re.sub(r"\s+", " ", result.text.replace("// kept", ""))
    assert "s, ok := 0, false; if * { assert (ok ==> n > 0); assume false; } return; }" in text
    assert "while i < n { if * { assert (i >= 0); assume false; } if * { assert (i < n); assume false; } s := s" in text
    assert "i := i + 1; } if * { assert (i == n); assume false; } s, ok := s, n > 0;" in text
    assert not re.search("invariant|decreases|calc|ghost", result.text)
    assert DAFNY.parse(result.text).error is None


@pytest.mark.unit
@pytest.mark.parametrize(
    ("body", "sites"),
    [
        ("r := 1;", 1),
        ("return 1;", 1),
        ("if x > 0 { return 1; } else { return 2; }", 2),
        ("if x > 0 { return 1; }", 2),
        ("while true { r := 1; return; }", 1),
        ("while true { if x > 0 { break; } }", 1),
        ("while true { while x > 0 { break; } }", 0),
        ("label L: while true { while x > 0 { break L; } }", 1),
        ("while true { while true { break break; } }", 1),
        ("match x { case 0 => return 1; case _ => r := 1; return; }", 2),
        ("if { case x > 0 => return 1; case x <= 0 => }", 2),
        ("r := 0; return Other(x);", 1),
        ("{ return 1; }", 1),
        ("{ var x := 2; return x; }", 0),
    ],
)
def test_exits(body: str, sites: int) -> None:
    source = f"method Other(x: int) returns (r: int)\nmethod M(x: int) returns (r: int) {{ {body} }}"
    result = instrument(source, ("M", Point("exit"), "r > 0"))
    assert len(result.sites) == sites
    assert DAFNY.parse(result.text).error is None


@pytest.mark.unit
def test_calls_of_a_lemma() -> None:
    source = """
lemma A(n: int) ensures true { }
lemma B(n: int) returns (r: int) ensures true { }
lemma C(n: int) {
  A(n); var x := B(n); x := B(x);
  if n > 0 { A(n - 1); }
  forall k ensures true { A(k); }
  forall k { A(k); }
  calc { n; { A(n); } n; }
  assert true by { A(3); }
}
"""
    result = instrument(source, ("C", Point("calls"), "false"))
    assert len(result.sites) == 7
    assert DAFNY.parse(result.text).error is None


@pytest.fixture(scope="module")
def dafny() -> DafnyTool:
    try:
        return find_dafny()
    except UserError as error:
        pytest.skip(str(error))


def failing_lines(tool: DafnyTool, folder: Path, text: str) -> list[int]:
    path = folder / "checked.dfy"
    path.write_text(text, encoding="utf-8")
    options = ["/nologo", "/compile:0", "/errorLimit:99", *([f"/z3exe:{tool.solver}"] if tool.solver else [])]
    run = subprocess.run([*tool.command, *options, str(path)], capture_output=True, text=True, timeout=120, check=False)
    assert "Dafny program verifier finished" in run.stdout, run.stdout
    return sorted({int(n) for n in re.findall(r"\.dfy\((\d+),\d+\): Error", run.stdout)})


@pytest.mark.tool
def test_each_false_check_fails_at_its_site_and_tells_the_rest_nothing(dafny: DafnyTool, tmp_path: Path) -> None:
    checks = []
    for point in (Point("entry"), Point("loop_head", 0), Point("after_loop", 0), Point("token", 26), Point("exit")):
        checks += [("Sum", point, "1 == 2"), ("Sum", point, "a.Length >= 0"), ("Sum", point, "a.Length == 77")]
    result = instrument(REFERENCE, *checks)
    expected = sorted(s.first_line for s in result.sites if int(s.check) % 3 != 1)
    assert len(result.sites) == 18
    assert failing_lines(dafny, tmp_path, result.text) == expected


@pytest.mark.tool
def test_the_probes_of_a_reference_hold_in_it_and_fail_without_its_invariants(dafny: DafnyTool, tmp_path: Path) -> None:
    stripped = DAFNY.strip_annotations(REFERENCE)
    probes = DAFNY.probes(REFERENCE, stripped)
    checks = [(p.declaration, point, p.expression) for p in probes for point in p.points]
    assert failing_lines(dafny, tmp_path, instrument(REFERENCE, *checks).text) == []
    without = instrument(stripped, *checks)
    failed = set(failing_lines(dafny, tmp_path, without.text))
    refuted = {s.check for s in without.sites if s.first_line in failed}
    # at the head of the loop the guard and i >= 0, which Boogie infers, give all; behind it i <= n is lost, and with it
    # i == n in the calc and in the assert
    assert refuted == {"1", "5", "7"}


@pytest.mark.tool
def test_checks_are_legal_in_lemmas_constructors_and_iterators(dafny: DafnyTool, tmp_path: Path) -> None:
    source = """
lemma L(n: nat) returns (r: nat) ensures r >= n decreases n
{ if n == 0 { return 0; } var x := L(n - 1); r := x + 1; assert r >= n by { var y := L(0); } }
class D { var f: int constructor (x: int) ensures f == x { f := x; } }
class C { var f: int constructor (x: int) ensures f == x { f := x; new; if x > 0 { return; } f := x; } }
iterator It(n: nat) yields (x: nat) yield ensures x == n { yield n; }
ghost method G(n: nat) returns (r: nat) ensures r == n { r := 0; while r < n invariant r <= n { r := r + 1; } }
"""
    result = instrument(
        source,
        ("L", Point("exit"), "false"),
        ("L", Point("calls"), "false"),
        ("C._ctor", Point("exit"), "f == x"),
        ("D._ctor", Point("exit"), "f == x"),
        ("It", Point("exit"), "true"),
        ("G", Point("exit"), "r == n"),
        ("G", Point("loop_head", 0), "r < n"),
    )
    assert result.unplaced == ()
    expected = sorted(s.first_line for s in result.sites if s.check in "01")
    assert failing_lines(dafny, tmp_path, result.text) == expected
