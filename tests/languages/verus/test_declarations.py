"""Declarations, clauses and statements, as the view shows them."""

from pathlib import Path

import pytest

from verulaw_rl.languages.base import DeclarationView
from verulaw_rl.languages.verus.language import VERUS
from verulaw_rl.languages.verus.view import read

pytestmark = pytest.mark.unit


def parse(inside: str) -> dict[str, DeclarationView]:
    view = VERUS.parse(f"verus! {{ {inside} }}")
    assert view.error is None, view.error
    assert view.lossless
    return view.by_path


EVERYTHING = """
use vstd::prelude::*;
pub open spec fn open_one(x: int) -> int recommends x > 0, { x }
pub closed spec fn closed_one<T>(s: Seq<T>) -> nat decreases s.len() when s.len() > 3 via helper { s.len() }
uninterp spec fn unknown(i: int) -> bool;
spec(checked) fn checked(i: int) -> bool { &&& i > 0 &&& i < 9 ==> i != 3 }
proof fn helper(tracked t: int) -> (tracked r: int) requires t > 0 ensures r > 0, { t }
broadcast proof fn shared(x: int) ensures #[trigger] unknown(x) ==> unknown(x) { }
broadcast group all_of_them { shared, }
broadcast use all_of_them;
proof fn by_solver(x: int, y: int) by (nonlinear_arith) requires x > 0, ensures x * y == y * x { }
pub const LIMIT: u64 = { 3 };
exec const COMPUTED: u64 ensures COMPUTED == 3 { 3 }
#[derive(Clone)]
struct Stack<T> { items: Vec<T>, ghost seen: nat }
tracked enum Both { A(int), B { x: int } }
trait Shape: Sized { spec fn area(&self) -> nat; fn compute(&self) -> (a: u64) ensures a == self.area(); }
impl<T> Stack<T> where T: Copy {
    pub fn push(&mut self, x: T) ensures final(self).items@ == old(self).items@.push(x), opens_invariants none no_unwind
    { self.items.push(x); }
}
impl<T: Copy> Shape for Stack<T> { spec fn area(&self) -> nat { 0 } fn compute(&self) -> (a: u64) { 0 } }
mod inner { pub fn nested(x: u8) -> u8 returns x { x } }
assume_specification [ outer ] (x: u8) -> (r: u8) ensures r == x;
fn exec(x: u32, Ghost(g): Ghost<int>) -> (r: (u32, bool))
    requires forall|i: int| #![trigger unknown(i)] 0 <= i < x ==> unknown(i), x matches 3 ==> g == 1,
    ensures r.0 == x, ({ let (a, b) = r; a == x }), match r { (0, _) => true, _ => false },
    decreases x,
{
    let ghost mut seen = Seq::<int>::empty();
    let tracked t = 3;
    'outer: while let Some(y) = next(x)
        invariant_except_break y > 0,
        invariant x > 0, if x > 3 { true } else { false },
        ensures x == 0,
        decreases x
    { if y == 3 { break 'outer; } }
    for i in iter: 0..x invariant i <= x { assert(i < x) by { reveal(closed_one); }; }
    loop invariant true decreases x { return (x, true) }
    assert forall|i: int| 0 <= i implies unknown(i) by { helper(i); }
    assert(x & 1 < 2) by (bit_vector);
    assert(x * x >= 0) by (nonlinear_arith) requires x > 0 { assert(true); }
    calc! { (==) x; { } x; }
    proof { seen = seen.push(3); assume(false); }
    let f = |a: u32| -> (b: u32) requires a < 3 ensures b == a { return a; };
    let s = Stack::<u8> { items: vec![1, 2], ..other };
    broadcast use shared;
    if x < 3 && y > (4 as u32) { return (1, false); }
    (x, match x { 0 => true, _ if x > 3 => { false }, _ => return (0, false) })
}
"""


def test_every_kind_of_declaration() -> None:
    found = parse(EVERYTHING)
    kinds = {path: d.kind for path, d in found.items()}
    assert kinds == {
        "vstd :: prelude :: *": "use",
        "open_one": "function",
        "closed_one": "function",
        "unknown": "function",
        "checked": "function",
        "helper": "lemma",
        "shared": "lemma",
        "all_of_them": "broadcast_group",
        "broadcast use all_of_them": "broadcast_use",
        "by_solver": "lemma",
        "LIMIT": "const",
        "COMPUTED": "const",
        "Stack": "struct",
        "Both": "enum",
        "Shape": "trait",
        "Shape.area": "function",
        "Shape.compute": "method",
        "impl Stack < T >": "impl",
        "Stack.push": "method",
        "impl Shape for Stack < T >": "impl",
        "Stack.Shape.area": "function",
        "Stack.Shape.compute": "method",
        "inner": "module",
        "inner.nested": "method",
        "[ outer ]": "assume_specification",
        "exec": "method",
    }
    bodyless = {path for path, d in found.items() if d.callable and d.body is None}
    assert bodyless == {"unknown", "Shape.area", "Shape.compute", "[ outer ]"}
    assert {path for path, d in found.items() if d.ghost} >= {"open_one", "helper", "unknown"}


def test_clauses_of_declarations() -> None:
    found = parse(EVERYTHING)

    def clauses(path: str) -> list[tuple[str, str]]:
        return [(c.kind, c.canonical) for c in found[path].clauses]

    assert clauses("open_one") == [("recommends", "x > 0")]
    assert clauses("closed_one") == [("decreases", "s . len ( )")]
    assert clauses("by_solver") == [("requires", "x > 0"), ("ensures", "x * y == y * x")]
    assert clauses("Stack.push") == [
        ("ensures", "final ( self ) . items @ == old ( self ) . items @ . push ( x )"),
        ("opens_invariants", "none"),
        ("no_unwind", ""),
    ]
    # `returns e` says what `ensures result == e` says
    assert clauses("inner.nested") == [("ensures", "returns x")]
    assert [c.expression for c in found["inner.nested"].clauses] == ["verulaw_result == (x)"]
    assert clauses("exec") == [
        ("requires", "forall | i : int | # ! [ trigger unknown ( i ) ] 0 <= i < x ==> unknown ( i )"),
        ("requires", "x matches 3 ==> g == 1"),
        ("ensures", "r . 0 == x"),
        ("ensures", "( { let ( a , b ) = r ; a == x } )"),
        ("ensures", "match r { ( 0 , _ ) => true , _ => false }"),
        ("decreases", "x"),
    ]


def test_loops_and_asserts() -> None:
    exec_ = parse(EVERYTHING)["exec"]
    loops = [[(c.kind, c.canonical) for c in loop.clauses] for loop in exec_.loops]
    assert loops == [
        [
            ("invariant_except_break", "y > 0"),
            ("invariant", "x > 0"),
            ("invariant", "if x > 3 { true } else { false }"),
            ("ensures", "x == 0"),
            ("decreases", "x"),
        ],
        [("invariant", "i <= x")],
        [("invariant", "true"), ("decreases", "x")],
    ]
    assert all(loop.body is not None for loop in exec_.loops)
    assert [a.canonical for a in exec_.asserts] == [
        "i < x",
        "forall | i : int | 0 <= i implies unknown ( i )",
        "x & 1 < 2",
        "x * x >= 0",
        "true",
    ]


def test_recursion_is_seen_through_other_declarations() -> None:
    found = parse("fn a(x: u8) { b(x) } fn b(x: u8) { a(x) } fn c(a: u8) -> u8 { a }")
    assert [found[n].recursive for n in "abc"] == [True, True, False]


def test_only_what_stands_inside_the_macro_is_declared() -> None:
    view = VERUS.parse(
        "fn out() {} verus! { fn a() {} } macro_rules! m { () => { verus! { fn x() {} } } } verus!{ fn b() {} }"
    )
    assert [d.path for d in view.declarations] == ["a", "b"]
    assert view.error is None


def test_where_a_brace_belongs_to_a_clause() -> None:
    found = parse("proof fn f(x: bool) ensures x ==> { x }, !x || { let y = x; y }, { x }, { }")
    assert [c.canonical for c in found["f"].clauses] == ["x ==> { x }", "! x || { let y = x ; y }", "{ x }"]


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("fn main() {}", "line 1: no verus! { } in the program"),
        ("verus! { fn f() { let x = ; } }", "line 1: expected an expression, found ';'"),
        ("verus! {\nfn f() {\n x y }\n}", "line 3: expected ';', found 'y'"),
        ("verus! { fn f() {", "line 1: expected what closes '{', found the end of the text"),
        ("verus! { banana }", "line 1: expected a declaration, found 'banana'"),
        ("", "the file is empty"),
    ],
)
def test_the_first_mistake_is_named(source: str, error: str) -> None:
    assert VERUS.parse(source).error == error


def test_public_programs_are_read_without_loss(shared_data: Path) -> None:
    """Those of the benchmark and of the audit's cases; ``lib.rs`` holds nothing but ``mod`` lines."""
    files = sorted((shared_data / "humaneval-verus").glob("*.rs")) + sorted((shared_data / "audit-cases").glob("*.rs"))
    assert len(files) > 200
    unreadable = []
    for path in files:
        view = read(path.read_bytes().decode()).view
        assert view.lossless, path
        if view.error is not None:
            unreadable.append(path.name)
    assert unreadable == ["lib.rs", "v_erase_ghost_macro.candidate.rs"]
