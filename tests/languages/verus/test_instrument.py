"""Checks placed in programs, and the facts that become checks. The texts are what Verus would be given."""

from pathlib import Path

import pytest

from verulaw_rl.languages.base import Check, Instrumented, Point, Span, Task
from verulaw_rl.languages.verus.language import VERUS

pytestmark = pytest.mark.unit
EXIT, ENTRY = Point("exit"), Point("entry")


def place(body: str, point: Point, expression: str = "r > 0", head: str = "fn f(x: u64) -> (r: u64)") -> Instrumented:
    program = f"verus! {{\n{head}\n{{{body}}}\n}}"
    assert VERUS.parse(program).error is None
    done = VERUS.instrument(program, (Check("c", "f", point, expression),))
    assert VERUS.parse(done.text).error is None, done.text
    return done


def body_of(done: Instrumented) -> str:
    """The instrumented body on one line."""
    inside = done.text.partition("\n{")[2].rpartition("}\n}")[0]
    return " ".join(inside.split())


P = "assert(true) by { assert(r > 0); }"


@pytest.mark.parametrize(
    ("body", "placed"),
    [
        (" x ", f"let r: u64 = x; {P} r"),
        (" return x; ", f"{{ let r: u64 = x; {P} return r }};"),
        (
            " if x > 3 { return 1; } x + 1 ",
            f"if x > 3 {{ {{ let r: u64 = 1; {P} return r }}; }} let r: u64 = x + 1; {P} r",
        ),
        (
            " match x { 0 => return 5, _ => { } } 7 ",
            f"match x {{ 0 => {{ let r: u64 = 5; {P} return r }}, _ => {{ }} }} let r: u64 = 7; {P} r",
        ),
        (" if x > 3 { 1 } else { 2 } ", f"let r: u64 = if x > 3 {{ 1 }} else {{ 2 }}; {P} r"),
        (" let f = |a: u64| { return a; }; f(x) ", f"let f = |a: u64| {{ return a; }}; let r: u64 = f(x); {P} r"),
    ],
)
def test_values_at_the_exits(body: str, placed: str) -> None:
    assert body_of(place(body, EXIT)) == placed


@pytest.mark.parametrize(
    ("body", "placed"),
    [
        (" v.push(x); ", "v.push(x); CHECK"),
        (" v.push(x) ", "v.push(x) ; CHECK"),
        (" if c { return; } v.push(x); ", "if c { { CHECK return }; } v.push(x); CHECK"),
        (" if c { v.push(x); } else { v.clear(); } ", "if c { v.push(x); } else { v.clear(); } CHECK"),
        (" while c { } ", "while c { } CHECK"),
        (" loop decreases 3 { return; } ", "loop decreases 3 { { CHECK return }; }"),
        ("", "CHECK"),
    ],
)
def test_exits_without_value(body: str, placed: str) -> None:
    done = place(body, EXIT, "final(v)@ == old(v)@", "fn f(v: &mut Vec<u64>, x: u64, c: bool)")
    check = "assert(true) by { assert(v@ == old(v)@); }"
    assert body_of(done).replace(" ;", " ;").split() == placed.replace("CHECK", check).split()


def test_a_check_tells_the_rest_of_the_proof_nothing() -> None:
    """Only a `by` block, whose path ends with it (``deadend``), and the fact `true` behind it; nothing is assumed."""
    done = place(" x ", ENTRY, "x == 7")
    assert body_of(done) == "assert(true) by { assert(x == 7); } x"
    assert "assume" not in done.text


def test_what_the_contract_names_must_mean_the_same_at_the_exit() -> None:
    shadowed = place(" let x = x + 1; x ", EXIT, "r == x + 1")
    assert (shadowed.sites, shadowed.unplaced) == ((), ("c",))
    assert place(" let x = x + 1; x ", EXIT, "false").sites
    mutable = place(" x += 1; x ", EXIT, "r == x + 1", "fn f(mut x: u64) -> (r: u64)")
    assert mutable.unplaced == ("c",)


def test_a_result_without_name_gets_one() -> None:
    (clause,) = VERUS.parse("verus! { fn f(x: u64) -> u64 returns x { x } }").by_path["f"].clauses
    done = place(" x ", EXIT, clause.expression, "fn f(x: u64) -> u64 returns x")
    assert body_of(done) == (
        "let verulaw_result: u64 = x; assert(true) by { assert(verulaw_result == (x)); } verulaw_result"
    )


def test_tracked_and_opaque_results() -> None:
    tracked = place(" x ", EXIT, "true", "proof fn f(tracked x: T) -> (tracked r: T)")
    assert body_of(tracked).startswith("let tracked r: T = x;")
    opaque = place(" x ", EXIT, "true", "fn f(x: T) -> (r: impl Iterator)")
    assert body_of(opaque).startswith("let r = x;")


LOOPS = """
    let mut i: u64 = 0;
    while i < x
        invariant
            i <= x,
        decreases x - i,
    {
        i = i + 1;
        assert(i <= x);
    }
    i
"""


def test_points_of_loops_and_tokens() -> None:
    head = place(LOOPS, Point("loop_head", 0), "i <= x")
    assert "{ assert(true) by { assert(i <= x); } i = i + 1;" in body_of(head)
    after = place(LOOPS, Point("after_loop", 0), "i <= x")
    assert "} assert(true) by { assert(i <= x); } i" in body_of(after)
    token = place(LOOPS, Point("token", 20), "i <= x")
    assert "assert(i <= x); assert(true) by { assert(i <= x); } }" in body_of(token)
    assert place(LOOPS, Point("loop_head", 1), "true").unplaced == ("c",)
    assert [s.after_loops for s in after.sites] == [(0,)]
    assert [s.after_loops for s in place(LOOPS, ENTRY, "true").sites] == [()]


def test_the_value_of_a_loop_is_left_alone() -> None:
    done = place(" loop decreases x { break x; } ", Point("after_loop", 0), "true")
    assert done.unplaced == ("c",)


def test_lines_of_sites() -> None:
    program = "verus! {\nfn f(x: u64) -> (r: u64) ensures r > 0,\n    r > 1\n{\n    if x > 3 { return x; }\n    x\n}\n}"
    checks = (Check("a", "f", EXIT, "r > 0"), Check("b", "f", EXIT, "r >\n    1"), Check("v", "f", ENTRY, "false"))
    done = VERUS.instrument(program, checks)
    lines = done.text.split("\n")
    for site in done.sites:
        assert site.first_line == site.last_line
        wanted = {"a": "r > 0", "b": "r > 1", "v": "false"}[site.check]
        assert lines[site.first_line - 1] == f"assert(true) by {{ assert({wanted}); }}"
    assert [s.check for s in done.sites] == ["v", "a", "b", "a", "b"]


def test_annotations_can_be_dropped_one_by_one() -> None:
    program = f"verus! {{\nfn f(x: u64) -> (r: u64)\n{{{LOOPS}}}\n}}"
    view = VERUS.parse(program)
    for annotation in view.annotations:
        left = VERUS.parse(VERUS.instrument(program, (), (annotation.span,)).text)
        assert left.error is None
        assert len(left.annotations) == len(view.annotations) - 1


def test_a_function_without_measure_is_looked_at_all_the_same() -> None:
    """Verus checks nothing of a program in which a loop has no ``decreases``; termination is the plain run's to say."""
    bare = LOOPS.replace("decreases x - i,", "")
    assert place(bare, ENTRY, "true").text.count("#[verifier::exec_allows_no_decreases_clause] fn f") == 1
    assert "exec_allows_no_decreases_clause" not in place(LOOPS, ENTRY, "true").text
    program = f"verus! {{ fn f(x: u64) {{ {bare} }} }}"
    span = VERUS.parse(program).annotations[0].span
    assert VERUS.instrument(program, (), (Span(span.start, span.start),)).text == program


def test_proofs_of_other_solvers_hold_no_checks() -> None:
    done = place(" ", ENTRY, "true", "proof fn f(x: int) by (nonlinear_arith) ensures x * x >= 0")
    assert done.unplaced == ("c",)


REFERENCE = f"""verus! {{
fn f(x: u64) -> (r: u64)
    ensures r == x,
{{
    let ghost begun = x;
    assert(begun == x);
    assert(x >= 0) by (bit_vector);
    proof {{
        let y = x;
        assert(y == x);
        assert(x == x);
        if x > 3 {{ assert(x > 2); }}
    }}
    assert forall|k: int| #![auto] 0 <= k < x implies k < x by {{ assert(true); }}
    {LOOPS.strip()}
}}
}}"""


def test_probes() -> None:
    found = VERUS.probes(REFERENCE, VERUS.strip_annotations(REFERENCE))
    assert [(p.category.value, p.expression, [q.kind for q in p.points]) for p in found] == [
        ("invariant", "i <= x", ["loop_head", "after_loop"]),
        ("assertion", "begun == x", ["token"]),
        ("assertion", "x == x", ["token"]),
        ("assertion", "forall|k: int| #![auto] (0 <= k < x) ==> (k < x)", ["token"]),
        ("assertion", "i <= x", ["token"]),
    ]
    assert VERUS.probes(REFERENCE, REFERENCE) == ()


def test_facts_of_loops_stay_where_their_variables_are() -> None:
    reference = (
        "verus! { fn f(n: u8) { for i in it: 0..n invariant n > 1, i <= n { } "
        "loop invariant_except_break n > 2, ensures n > 3, decreases n { break; } } }"
    )
    found = VERUS.probes(reference, VERUS.strip_annotations(reference))
    assert {p.expression: [q.kind for q in p.points] for p in found} == {
        "n > 1": ["loop_head", "after_loop"],
        "i <= n": ["loop_head"],
        "n > 2": ["loop_head"],
        "n > 3": ["after_loop"],
    }


def test_every_probe_of_the_public_programs_has_a_place(shared_data: Path) -> None:
    placed = unplaced = 0
    for path in sorted((shared_data / "humaneval-verus").glob("human_eval_*.rs")):
        source = path.read_bytes().decode()
        given = VERUS.strip_annotations(source)
        checks = [
            Check(f"{i}|{k}", p.declaration, point, p.expression)
            for i, p in enumerate(VERUS.probes(source, given))
            for k, point in enumerate(p.points)
        ]
        view = VERUS.parse(source)
        for d in VERUS.targets(view, Task.ANNOTATION_REPAIR):
            ensures = [c for c in d.clauses if c.kind == "ensures"]
            checks += [Check(f"{d.path}|{k}", d.path, EXIT, c.expression) for k, c in enumerate(ensures)]
        at = {c.id: c.point for c in checks}
        for program in (source, given):
            done = VERUS.instrument(program, tuple(checks))
            assert VERUS.parse(done.text).error is None, path.name
            # behind a loop that is the value of its block there is no place
            lost = [c for c in done.unplaced if at[c] != EXIT and at[c].kind != "after_loop"]
            assert lost == [], path.name
            assert len({s.check for s in done.sites}) + len(done.unplaced) == len(checks)
            unplaced += len(done.unplaced)
        placed += len(checks)
    assert placed > 500
    assert unplaced < placed / 20
