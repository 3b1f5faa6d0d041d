"""The integrity audit: the recorded cases, and every known way around Verus, each put into an honest candidate."""

import json
from pathlib import Path

import pytest

from verulaw_rl.audit.check import check
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.verus.language import VERUS

pytestmark = pytest.mark.unit
REPAIR, WRITE = Task.ANNOTATION_REPAIR, Task.CODE_GENERATION

GIVEN = """\
use vstd::prelude::*;

verus! {

spec fn tri(n: nat) -> nat
    decreases n,
{
    if n == 0 { 0 } else { n + tri((n - 1) as nat) }
}

uninterp spec fn colour(n: nat) -> int;

proof fn tri_grows(n: nat)
    ensures
        tri(n) >= n,
{
}

trait Weighted {
    spec fn weight(&self) -> nat;
}

struct Parcel {
    grams: u32,
}

#[verifier::external_body]
fn gauge() -> (g: u32)
    ensures
        g <= 100,
{
    unimplemented!()
}

fn triangle(n: u32, v: &mut Vec<u8>) -> (t: u64)
    requires
        n < 1000,
    ensures
        t == tri(n as nat),
        final(v)@ == old(v)@,
    decreases n,
{
    let mut t: u64 = 0;
    let mut i: u32 = 0;
    while i < n
    {
        i = i + 1;
        t = t + i as u64;
    }
    assert(i == n);
    t
}

fn main() {
}

} // verus!
"""
LOOP = "    while i < n\n"
HONEST_LOOP = """\
    while i < n
        invariant
            i <= n < 1000,
            t == tri(i as nat),
            t <= i * 1000,
        decreases n - i,
"""
AFTER = "    assert(i == n);\n"


def edit(old: str, new: str, text: str = GIVEN) -> str:
    """The text with one change, which must apply."""
    assert text.count(old) == 1, old
    return text.replace(old, new)


def verdict(candidate: str, task: Task = REPAIR, given: str = GIVEN) -> str:
    return check("verus", task, given, candidate).verdict


def test_every_recorded_case_comes_out_as_it_says(shared_data: Path) -> None:
    wrong, seen = {}, 0
    for path in sorted((shared_data / "audit-cases").glob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        if case["language"] != "verus":
            continue
        seen += 1
        stem = path.with_suffix("")
        given, candidate = (stem.with_suffix(f".{kind}.rs").read_bytes().decode() for kind in ("given", "candidate"))
        report = check("verus", Task(case["task"]), given, candidate)
        if report.verdict != case["expected"]:
            wrong[path.stem] = (case["expected"], report)
        lines = max(given.count("\n"), candidate.count("\n")) + 2
        assert all(1 <= f.line <= lines and f.message and f.advice for f in report.findings), path.stem
    assert seen == 31
    assert wrong == {}


@pytest.mark.parametrize(
    "candidate",
    [
        GIVEN,
        edit(LOOP, HONEST_LOOP),
        edit(LOOP, HONEST_LOOP.replace("    while", "    #[verifier::loop_isolation(false)]\n    while")),
        edit(AFTER, "    assert(i == n) by { tri_grows(n as nat); }\n"),
        edit(AFTER, f"    let ghost seen = t;\n    proof {{ tri_grows(n as nat); }}\n{AFTER}"),
        edit(AFTER, f"    assert(n & 1 < 2) by (bit_vector);\n{AFTER}    assert(n * n >= 0) by (nonlinear_arith);\n"),
        edit(AFTER, f"    calc! {{ (==) t; {{ }} t; }}\n    assert forall|k: int| k < k + 1 by {{ }}\n{AFTER}"),
        edit(AFTER, f"    broadcast use vstd::seq_lib::group_seq_properties;\n    reveal(tri);\n{AFTER}"),
        edit("{\n}\n\ntrait", "{\n    if n > 0 {\n        tri_grows((n - 1) as nat);\n    }\n}\n\ntrait"),
        edit(
            "{\n}\n\ntrait",
            "    decreases n,\n{\n    if n > 0 {\n        tri_grows((n - 1) as nat);\n    }\n}\n\ntrait",
        ),
        edit("fn main", "proof fn own_lemma(k: nat) requires false ensures tri(k) == 0 { }\n\nfn main"),
        edit(
            "fn main",
            "spec fn own_spec(k: nat) -> nat { k }\nproof fn own_lemma(k: nat) ensures own_spec(k) == k { }\nfn main",
        ),
        edit("fn main", "struct Own { x: u8 }\nimpl Own { spec fn weight(&self) -> nat { 0 } }\nfn main"),
        edit("fn triangle", "#[verifier::rlimit(50)]\n#[verifier::spinoff_prover]\nfn triangle"),
        GIVEN.replace("        n < 1000,\n", "n   <   1000").replace("// verus!", "/* end */"),
        edit(AFTER, f"    // assume(false), admit(), #[verifier::external_body]\n    /* /* admit() */ */\n{AFTER}"),
        edit(AFTER, f"    assert(seq![1int].len() == 1);\n{AFTER}"),
    ],
)
def test_honest_repairs(candidate: str) -> None:
    assert candidate == GIVEN or VERUS.parse(candidate).error is None
    report = check("verus", REPAIR, GIVEN, candidate)
    assert report.findings == ()


IN_PROOF = [
    "assume(t == tri(n as nat));",
    "admit();",
    "assume_(false);",
    "vstd::pervasive::assume(false);",
    "::vstd::prelude::admit();",
    "verus_builtin::assume_(false);",
    "r#assume(false);",
    "assert(false) by { admit(); }",
    "assert forall|x: int| false by { assume(false); }",
    "calc! { (==) t; { admit(); } 0; }",
    "assert_by_contradiction!(true, { admit(); });",
    "let p = admit;",
    "let f = |x: int| { assume(false); };",
    "if true { { admit(); } }",
    "match t { _ => admit(), }",
    "let tracked t = Tracked::<int>::assume_new();",
    'include!("x.rs");',
    "finish!();",
    "unsafe { }",
]


@pytest.mark.parametrize("statement", IN_PROOF)
@pytest.mark.parametrize("around", ["    proof {{ {} }}\n", "    assert(true) by {{ {} }}\n"])
def test_nothing_is_believed_in_a_proof(statement: str, around: str) -> None:
    assert verdict(edit(AFTER, around.format(statement) + AFTER)) == "reject_proof"


@pytest.mark.parametrize("statement", IN_PROOF)
def test_nothing_is_believed_in_a_helper(statement: str) -> None:
    assert verdict(edit("fn main", f"proof fn own() ensures false {{ {statement} }}\n\nfn main")) == "reject_proof"
    assert (
        verdict(edit("fn main", f"proof fn own() ensures ({{ {statement} true }}) {{ }}\n\nfn main")) == "reject_proof"
    )


ATTRIBUTES = [
    "verifier::external_body",
    "verifier(external_body)",
    "verifier :: external_body",
    "verus::internal(external_body)",
    "verus_verify(external_body)",
    "cfg_attr(all(), verifier::external_body)",
    "cfg_attr(all(), verifier::rlimit(5))",
    "verifier::external",
    "verifier::external_fn_specification",
    "verifier::external_trait_specification",
    "verifier::external_type_specification",
    "verifier::assume_termination",
    "verifier::exec_allows_no_decreases_clause",
    "verifier::assume(externals_available_without_declaration)",
    "verifier::accept_recursive_types(T)",
    "verifier::strictly_positive",
    "verifier::rlimit(infinity)",
    "verifier::rlimit(201)",
    "verifier::something_new",
    'path = "x.rs"',
]
CONTRACT_ATTRIBUTES = [
    "verifier::when_used_as_spec(tri)",
    "verifier::type_invariant",
    "cfg(any())",
    "cfg(not(verus_keep_ghost))",
    "verifier::allow_in_spec",
]


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_that_switch_the_verifier_off(name: str) -> None:
    assert verdict(edit("fn triangle", f"#[{name}]\nfn triangle")) == "reject_proof"
    assert verdict(edit("fn main", f"#[{name}]\nproof fn own() ensures false {{ }}\nfn main")) == "reject_proof"
    assert verdict(edit("verus! {\n", f"verus! {{\n#![{name}]\n")) == "reject_proof"
    assert verdict(edit(AFTER, f"    #[{name}]\n{AFTER}")) != "accept"


@pytest.mark.parametrize("name", CONTRACT_ATTRIBUTES)
def test_attributes_that_change_what_is_said(name: str) -> None:
    assert verdict(edit("fn triangle", f"#[{name}]\nfn triangle")) == "reject_spec"
    assert verdict(edit("struct Parcel", f"#[{name}]\nstruct Parcel")) == "reject_spec"


@pytest.mark.parametrize("name", ["verifier::opaque", "verifier::memoize", "derive(PartialEq)"])
def test_attributes_that_change_what_a_given_declaration_means(name: str) -> None:
    assert verdict(edit("spec fn tri", f"#[{name}]\nspec fn tri")) == "reject_spec"


@pytest.mark.parametrize(
    "added",
    [
        "axiom fn own(n: nat) ensures tri(n) == 0;",
        "broadcast axiom fn own(n: nat) ensures #[trigger] tri(n) == 0;",
        "proof fn own(n: nat) ensures tri(n) == 0;",
        "fn own(n: u64) -> (r: u64) ensures r == 0;",
        "assume_specification [ outer ] (x: u8) -> (r: u8) ensures r == x;",
        "global layout usize is size == 4;",
        "global size_of usize == 8;",
        "macro_rules! own { () => { admit() } }",
        "mod other;",
        "unsafe impl Send for Parcel { }",
        "extern crate other;",
        "exec_spec_unverified! { spec fn own() -> bool { true } }",
        "fn own() { loop { } }",
        "fn own(x: u8) { let mut y = x; while y > 0 { let z = 3; } }",
    ],
)
def test_declarations_that_are_believed(added: str) -> None:
    assert verdict(edit("fn main", f"{added}\n\nfn main")) == "reject_proof"


@pytest.mark.parametrize(
    "added",
    [
        "use vstd::map::*;",
        "uninterp spec fn own(n: nat) -> nat;",
        "spec fn colour2(n: nat) -> nat;",
        "mod own { }",
        "trait Own { proof fn believe() ensures false; }",
        "impl Weighted for Parcel { spec fn weight(&self) -> nat { 0 } }",
        "impl Parcel { spec fn weight(&self) -> nat { 0 } }",
        "impl View for Parcel { type V = int; spec fn view(&self) -> int { 0 } }",
        "static mut COUNT: u8 = 3;",
        "type Int = u8;",
        "spec fn weight(n: nat) -> nat { n }",
        "spec fn old(n: nat) -> nat { n }",
        "proof fn tri_grows2(n: nat) { } spec fn grams() -> nat { 3 }",
        "union U { x: u8 }",
    ],
)
def test_declarations_that_may_not_be_added(added: str) -> None:
    assert verdict(edit("fn main", f"{added}\n\nfn main")) == "reject_spec"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        n < 1000,\n", "        n < 1000,\n        false,\n"),
        ("        n < 1000,\n", "        n < 10,\n"),
        ("        final(v)@ == old(v)@,\n", ""),
        ("        final(v)@ == old(v)@,\n", "        final(v)@ == final(v)@,\n"),
        ("        t == tri(n as nat),\n", "        t == tri(n as nat) || true,\n"),
        ("        t == tri(n as nat),\n", "    default_ensures\n        t == tri(n as nat),\n"),
        ("        t == tri(n as nat),\n", "        // t == tri(n as nat),\n"),
        ("        t == tri(n as nat),\n", "        /* /* */ t == tri(n as nat), */\n"),
        ("n: u32, v", "n: u8, v"),
        ("-> (t: u64)", "-> (t: u32)"),
        ("if n == 0 { 0 }", "if n == 0 { 1 }"),
        ("    decreases n,\n{\n    if n", "    decreases n, when n > 3\n{\n    if n"),
        ("uninterp spec fn colour(n: nat) -> int;", "spec fn colour(n: nat) -> int { 3 }"),
        ("    spec fn weight(&self) -> nat;\n", "    spec fn weight(&self) -> nat;\n    spec fn more(&self) -> nat;\n"),
        ("    grams: u32,\n", "    grams: u8,\n"),
        ("        tri(n) >= n,\n", "        tri(n) >= 0,\n"),
        ("proof fn tri_grows", "spec fn tri_grows"),
        ("    unimplemented!()\n", "    100\n"),
        ("use vstd::prelude::*;", "use vstd::prelude::*; use vstd::map::*;"),
        ("fn main() {\n}\n\n} // verus!\n", "fn main() {\n}\n\n} // verus!\nfn more() { }\n"),
        ("struct Parcel", "pub struct Parcel"),
        ("i = i + 1;", "i = i + 2;"),
        ("    let mut i", "    let mut k: u32 = 0;\n    let mut i"),
        ("    t\n}", "    return t;\n}"),
        ("        t = t + i as u64;\n", ""),
        (AFTER, ""),
        (AFTER, "    assert(i <= n);\n"),
        (AFTER, f"    let ghost n = 3;\n{AFTER}"),
        (AFTER, f"    tri_grows(n as nat);\n{AFTER}"),
        ("    let mut t: u64", "    let ghost mut t: u64"),
    ],
)
def test_changes_of_specification_and_frozen_code(old: str, new: str) -> None:
    assert verdict(edit(old, new)) == "reject_spec"


def test_losing_the_macro_or_a_body_is_an_escape() -> None:
    assert verdict(edit("verus! {\n", "verus_erase_ghost! {\n")) == "reject_proof"
    assert verdict(GIVEN.replace("verus! {\n", "").replace("\n} // verus!", "")) == "reject_proof"
    gone = edit("{\n}\n\ntrait", ";\n\ntrait")
    assert verdict(gone) == "reject_proof"


WRITTEN = VERUS.strip_bodies(edit(AFTER, ""))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("let r = n as u64 * (n as u64 + 1) / 2; proof { tri_grows(n as nat); } r", "accept"),
        ("let mut i = 0; while i < n invariant i <= n decreases n - i { i = i + 1; } 0", "accept"),
        ("let mut i = 0; for k in 0..n invariant i == k { i = i + 1; } i as u64", "accept"),
        ("while n > 3 { } 0", "reject_proof"),
        ("loop { }", "reject_proof"),
        ("proof { admit(); } 0", "reject_proof"),
        ("unsafe { 0 }", "reject_proof"),
        ("todo!()", "reject_proof"),
        ('asm!("nop"); 0', "reject_proof"),
        ("#[verifier::truncate] n as u8 as u64", "accept"),
        ("#[verifier::something_new] 0", "reject_proof"),
    ],
)
def test_written_bodies(body: str, expected: str) -> None:
    given = WRITTEN
    assert given.count("todo!()") == 1
    assert verdict(given.replace("todo!()", body), WRITE, given) == expected


def test_what_is_not_to_be_written_is_frozen() -> None:
    filled = WRITTEN.replace("todo!()", "0")
    assert verdict(filled, WRITE, WRITTEN) == "accept"
    assert verdict(filled.replace("unimplemented!()", "3"), WRITE, WRITTEN) == "reject_spec"
    assert verdict(filled.replace("{ 0 } else", "{ 1 } else"), WRITE, WRITTEN) == "reject_spec"
    assert (
        verdict(filled.replace("    decreases n,\n{\n    0", "    decreases n + 1,\n{\n    0"), WRITE, WRITTEN)
        == "reject_spec"
    )


def test_the_author_may_not_leave_escapes_in_a_program() -> None:
    assert [f.construct for f in VERUS.escapes(GIVEN)] == ["attribute"]
    assert VERUS.escapes(edit("#[verifier::external_body]\n", "")) == ()
    for text in ("proof { admit(); }", "assume(false);"):
        assert "assume" in {f.construct for f in VERUS.escapes(edit(AFTER, text))}
    assert VERUS.escapes("#![verifier::exec_allows_no_decreases_clause]\n" + GIVEN)


def test_what_cannot_be_read_is_left_to_the_verifier() -> None:
    broken = edit("        t = t + i as u64;\n", "        t = t + i as u64\n        x y z\n")
    assert VERUS.parse(broken).error is not None
    assert verdict(broken) == "accept"
    assert verdict(edit("        tri(n) >= n,\n", "", broken)) == "reject_spec"
    assert verdict(edit(AFTER, f"    proof {{ admit(); }}\n{AFTER}", broken)) == "reject_proof"
