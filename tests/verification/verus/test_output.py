"""Reading what Verus prints: public recordings, and messages written after the schema of its source."""

import json
from pathlib import Path
from typing import Any

import pytest

from verulaw_rl.languages.base import Category
from verulaw_rl.verification.verdict import Limits, Location, Related, Status, ToolIdentity, Verdict
from verulaw_rl.verification.verus.command import command_line, fixed_options
from verulaw_rl.verification.verus.execution import with_main
from verulaw_rl.verification.verus.find import VerusTool, is_supported, read_version
from verulaw_rl.verification.verus.messages import classify, refusal
from verulaw_rl.verification.verus.output import parse_output
from verulaw_rl.verification.verus.recorded import recorded_verdict
from verulaw_rl.verification.verus.verdicts import make_verdict

pytestmark = pytest.mark.unit
P, INV, A = Category.POSTCONDITION, Category.INVARIANT, Category.ASSERTION
S, T = Category.SAFETY, Category.TERMINATION

PROGRAM = """\
use vstd::prelude::*;
verus! {
spec fn tri(n: nat) -> nat decreases n, { if n == 0 { 0 } else { n + tri((n - 1) as nat) } }
fn need(x: u64)
    requires
        x < 9,
{ let y = x; }
fn triangle(n: u32) -> (t: u64)
    requires
        n < 1000,
    ensures
        t == tri(n as nat),
        t >= n,
{
    let mut t: u64 = 0;
    let mut i: u32 = 0;
    while i < n
        invariant
            i <= n,
            t == tri(i as nat),
    {
        i = i + 1;
        t = t + i as u64;
        need(t);
    }
    assert(i == n);
    t
}
}
"""
LINES = PROGRAM.split("\n")


def span(text: str, label: str | None = None, *, primary: bool = False, file: str = "p.rs") -> dict[str, Any]:
    """A span of rustc's schema at the first occurrence of a text; 1-based."""
    line = next(i for i, x in enumerate(LINES) if text in x)
    column = LINES[line].index(text)
    return {
        "file_name": file,
        "line_start": line + 1,
        "line_end": line + 1,
        "column_start": column + 1,
        "column_end": column + 1 + len(text),
        "is_primary": primary,
        "label": label,
    }


def message(text: str, *spans: dict[str, Any], level: str = "error", code: str | None = None) -> str:
    return json.dumps(
        {
            "$message_type": "diagnostic",
            "message": text,
            "code": {"code": code} if code else None,
            "level": level,
            "spans": list(spans),
            "children": [],
            "rendered": "",
        }
    )


MISMATCHED = message("mismatched types", span("let y", primary=True), code="E0308")


def document(verified: int | None, errors: int = 0, functions: dict[str, bool] | None = None, **more: Any) -> str:
    """What ``--output-json`` prints; ``verified=None`` after an error that stopped it before any proof."""
    results: dict[str, Any] = {
        "encountered-error": bool(errors) or verified is None,
        "encountered-vir-error": verified is None,
        "success": verified is not None and errors == 0,
    }
    if verified is not None:
        results |= {"verified": verified, "errors": errors, "is-verifying-entire-crate": True}
    out: dict[str, Any] = {"func-details": {}, "verification-results": results | more}
    if functions is not None:
        entries = [{"function": f"p::{n}", "time-micros": 1500, "success": ok} for n, ok in functions.items()]
        out["times-ms"] = {"smt": {"smt-run-module-times": [{"module": "root", "function-breakdown": entries}]}}
    return json.dumps(out, indent=2)


def judge(*lines: str, **more: Any) -> Verdict:
    tool = ToolIdentity("verus", "0.2026.06.07", "z3 4.12.5")
    return make_verdict(parse_output("\n".join(lines)), PROGRAM, tool=tool, file="p.rs", **more)


# --- recordings ---------------------------------------------------------------------------------------------------


def recorded(shared_data: Path, name: str) -> Verdict:
    return recorded_verdict((shared_data / "verus-outputs" / name).read_text(encoding="utf-8"))


def test_a_recorded_run_with_eleven_failures(shared_data: Path) -> None:
    verdict = recorded(shared_data, "ringbuf.stderr.jsonl")
    assert verdict.status is Status.FAILED
    assert not verdict.complete  # the error stream alone: nothing says how many there are
    assert [(d.category, d.kind, d.location.line) for d in verdict.diagnostics] == [
        (S, "precondition", 119),
        (S, "precondition", 146),
        (S, "overflow", 148),
        (S, "precondition", 174),
        (S, "precondition", 189),
        (S, "overflow", 194),
        (P, "postcondition", 208),
        (INV, "invariant_maintained", 238),
        (INV, "invariant_maintained", 240),
        (INV, "invariant_maintained", 241),
        (A, "assertion", 253),
    ]
    assert verdict.diagnostics[0].related == (Related(Location(83, 12), "failed precondition"),)
    assert verdict.diagnostics[0].location == Location(119, 16)  # printed as 119:17
    assert verdict.diagnostics[6].related[0].location.line == 203


def test_recorded_documents(shared_data: Path) -> None:
    success = recorded(shared_data, "success.stdout.json")
    assert (success.status, success.verified_count, success.error_count, success.complete) == (
        Status.VERIFIED,
        5,
        0,
        True,
    )
    failure = recorded(shared_data, "failure.stdout.json")
    assert (failure.status, failure.error_count, failure.complete) == (Status.FAILED, 1, False)
    assert recorded(shared_data, "vir-error.stdout.json").status is Status.INVALID


def test_the_form_for_people(shared_data: Path) -> None:
    verdict = recorded(shared_data, "rendered.stderr.txt")
    assert verdict.status is Status.FAILED
    assert (verdict.verified_count, verdict.error_count) == (11, 1)
    assert [(d.category, d.location.line) for d in verdict.diagnostics] == [(P, 183), (INV, 1), (S, 1), (S, 361)]
    assert [[r.location.line for r in d.related] for d in verdict.diagnostics] == [[176], [], [], [229]]


# --- messages -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("postcondition not satisfied", P),
        ("unable to prove post-condition of closure", P),
        ("precondition not satisfied", S),
        ("precondition not met: index in bounds for this access", S),
        ("requirement not met: to access this field, the union must be in the correct variant", S),
        ("possible arithmetic underflow/overflow", S),
        ("possible division by zero", S),
        ("possible bit shift underflow/overflow", S),
        ("invariant not satisfied before loop", INV),
        ("invariant not satisfied at end of loop body", INV),
        ("loop invariant not satisfied", INV),
        ("assertion failed", A),
        ("requires not satisfied", A),
        ("bitvector assertion not satisfied", A),
        ("bitvector assertion not satisfied (with arch-size set to 32 bits)", A),
        ("assert_by_compute_only failed to simplify down to true.  Instead got: false", A),
        ("expression simplifies to false", A),
        ("assert_by_compute timed out", A),
        ("decreases not satisfied at end of loop", T),
        ("decreases not satisfied at continue", T),
        ("could not prove termination", T),
        ("cannot show this call will not unwind, in function marked 'no_unwind'", S),
        ("callee may open invariants that caller cannot", S),
        ("cannot show this invariant namespace is allowed to be opened", S),
        ("possible invariant collision", S),
        ("Cannot show invariant holds at end of block", S),
        ("constructed value may fail to meet its declared type invariant", S),
        ("value may fail to meet its declared type invariant at the end of this call", S),
        ("cannot show atomic update was committed", S),
    ],
)
def test_every_message_has_its_category(text: str, category: Category) -> None:
    meaning = classify(text)
    assert meaning is not None
    assert meaning.category is category
    assert refusal(text) is None


def test_a_postcondition_stands_at_the_exit_with_its_clause() -> None:
    clause = span("t == tri(n as nat)", "failed this postcondition", primary=True)
    exit_ = span("    assert(i == n);", "at the end of the function body")
    older = (clause | {"is_primary": False}, exit_ | {"is_primary": True})
    for spans in ((clause, exit_), older):
        verdict = judge(message("postcondition not satisfied", *spans), document(2, 1))
        (d,) = verdict.diagnostics
        assert (d.category, d.kind, d.declaration) == (P, "postcondition", "triangle")
        assert d.clause == "t == tri(n as nat)"
        assert d.related == (Related(Location(12, 8), "failed this postcondition"),)
        assert d.location == Location(exit_["line_start"], exit_["column_start"] - 1)
        assert verdict.complete


def test_invariants_stand_at_their_clause() -> None:
    clause = span("t == tri(i as nat)", primary=True)
    for text in ("invariant not satisfied before loop", "invariant not satisfied at end of loop body"):
        (d,) = judge(message(text, clause), document(2, 1)).diagnostics
        assert (d.category, d.location.line, d.clause) == (INV, 20, "t == tri(i as nat)")
    at_break = (span("need(t)", "at this loop exit", primary=True), span("i <= n", "failed this invariant"))
    (d,) = judge(message("loop invariant not satisfied", *at_break), document(2, 1)).diagnostics
    assert (d.kind, d.location.line, d.clause) == ("invariant_exit", 19, "i <= n")


def test_a_precondition_stands_at_the_call() -> None:
    spans = (span("need(t)", primary=True), span("x < 9", "failed precondition"))
    (d,) = judge(message("precondition not satisfied", *spans), document(2, 1)).diagnostics
    assert (d.category, d.declaration, d.location.line, d.related[0].location.line) == (S, "triangle", 24, 6)
    in_vstd = (span("need(t)", primary=True), span("x < 9", "failed precondition", file="vstd/std_specs/vec.rs"))
    (d,) = judge(message("precondition not satisfied", *in_vstd), document(2, 1)).diagnostics
    assert (d.category, d.related) == (S, ())


def test_words_of_the_programs_own_go_by_their_place() -> None:
    (d,) = judge(message("all is well", span("i == n", primary=True)), document(2, 1)).diagnostics
    assert (d.category, d.kind) == (A, "assertion")
    (d,) = judge(message("all is well", span("let mut t", primary=True)), document(2, 1)).diagnostics
    assert (d.category, d.kind) == (S, "other")


def test_notes_and_closing_lines_are_no_failures() -> None:
    verdict = judge(
        message("recommendation not met", span("need(t)", primary=True), level="note"),
        message("assertion failed", span("i == n", primary=True)),
        message("aborting due to 1 previous error", level="error"),
        document(2, 1),
    )
    assert [d.severity for d in verdict.diagnostics] == ["info", "error"]
    assert verdict.message == "1 failed check"


# --- verdicts -----------------------------------------------------------------------------------------------------


def test_verified_names_every_function() -> None:
    verdict = judge(document(4, 0, {"need": True, "triangle": True, "tri": True}), limit="--rlimit 60")
    assert verdict.status is Status.VERIFIED
    assert verdict.message == "4 verified, 0 errors under --rlimit 60"
    assert {(o.declaration, o.outcome) for o in verdict.declarations} == {
        ("need", "verified"),
        ("triangle", "verified"),
    }


def test_a_function_that_was_passed_over_is_not_verified() -> None:
    verdict = judge(document(1, 0, {"need": True}))
    assert verdict.status is Status.FAILED
    assert verdict.message == "not checked by the tool: triangle"


def test_running_out_of_resources() -> None:
    text = "function body check: Resource limit (rlimit) exceeded; consider rerunning with --profile for more details"
    whole = span("fn triangle(n: u32)", primary=True)
    verdict = judge(message(text, whole), document(1, 1))
    assert (verdict.status, verdict.complete) == (Status.TIMEOUT, False)
    assert {(o.declaration, o.outcome) for o in verdict.declarations} == {("need", "verified"), ("triangle", "timeout")}
    both = judge(message("assertion failed", span("i == n", primary=True)), message(text, whole), document(1, 1))
    assert (both.status, both.complete) == (Status.FAILED, False)


def test_a_list_cut_short_is_not_complete() -> None:
    note = "function body check: not all errors may have been reported; rerun with a higher value for --multiple-errors"
    failure = message("assertion failed", span("i == n", primary=True))
    assert judge(failure, document(1, 1)).complete
    assert not judge(failure, message(note, span("need(t)"), level="note"), document(1, 1)).complete


def test_refusals_that_are_unmet_obligations() -> None:
    """Nothing was checked, so nothing counts as proved; and the program is not invalid."""
    verdict = judge(message("loop must have a decreases clause", span("while i < n", primary=True)), document(None))
    assert (verdict.status, verdict.complete) == (Status.FAILED, False)
    assert [(d.category, d.declaration) for d in verdict.diagnostics] == [(T, "triangle")]
    assert {o.outcome for o in verdict.declarations} == {"inconclusive"}
    panic = judge(message("panic is not supported (if you used ...)", span("let y", primary=True)), document(None))
    assert [d.category for d in panic.failures] == [S]
    cheating = judge(
        message("assume/admit not allowed with --no-cheating", span("let y", primary=True)), document(None)
    )
    assert cheating.status is Status.INVALID


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ((message("mismatched types", span("let y", primary=True), code="E0308"), document(None)), Status.INVALID),
        (
            (message("mismatched types", span("let y", primary=True), code="E0308"), document(2, 0, success=False)),
            Status.INVALID,
        ),
        ((document(None),), Status.INVALID),
        ((document(0, 0),), Status.INVALID),
        ((document(2, 0, success=False),), Status.INVALID),
        ((document(2, 0, **{"is-verifying-entire-crate": False}),), Status.ERROR),
        (("thread 'rustc' panicked at vir/src/x.rs:3:4:", "internal error"), Status.ERROR),
        (("thread 'main' (123) panicked at air.rs:1:2:", document(3)), Status.ERROR),
        (("error: internal compiler error: no",), Status.ERROR),
        (("verus: required rust toolchain 1.95.0 not found",), Status.ERROR),
        (("",), Status.ERROR),
        (("error: Unrecognized option: 'no-cheating'",), Status.ERROR),
    ],
)
def test_what_is_neither_proved_nor_refuted(lines: tuple[str, ...], status: Status) -> None:
    verdict = judge(*lines, live=True)
    assert verdict.status is status
    assert not verdict.complete


def test_stopped_by_the_wall_clock() -> None:
    assert judge("", ended=False).status is Status.TIMEOUT
    failed = judge(message("assertion failed", span("i == n", primary=True)), ended=False)
    assert (failed.status, failed.complete) == (Status.FAILED, False)


def test_old_and_partial_summaries() -> None:
    assert recorded_verdict("verification results:: verified: 3 errors: 0\n").status is Status.VERIFIED
    assert recorded_verdict("verification results:: 3 verified, 0 errors\n").verified_count == 3
    partial = "verification results:: 3 verified, 0 errors (partial verification with `--verify-*`)\n"
    assert recorded_verdict(partial).status is Status.ERROR


@pytest.mark.parametrize(
    "text", ["{", '{"message": 3, "spans": 4}', '{"verification-results": 3}', "{}" * 9, "[" * 9999]
)
def test_any_text(text: str) -> None:
    recorded_verdict(text, PROGRAM)
    recorded_verdict('{"message": "m", "level": "error", "spans": [3, {"line_start": "x"}]}\n' + text, PROGRAM)


# --- the command line ---------------------------------------------------------------------------------------------


def tool(*, no_cheating: bool = True) -> VerusTool:
    return VerusTool(Path("/opt/verus/verus"), "0.2026.06.07.cd03505", "1.95.0", "4.12.5", no_cheating, (), ())


def test_the_command_line() -> None:
    command = command_line(tool(), "p.rs", Limits(solver_s=60, error_limit=200, solver_seed=7))
    assert command == [
        *("/opt/verus/verus", "p.rs", "--crate-type=lib", "--output-json", "--time-expanded", "--error-format=json"),
        *("--num-threads", "1", "--no-report-long-running", "--no-cheating", "--rlimit", "60"),
        *("--multiple-errors", "200", "--smt-option", "smt.random_seed=7"),
    ]
    assert "--no-cheating" not in fixed_options(tool(no_cheating=False))
    assert command_line(tool(), "p.rs", Limits(solver_s=0))[-3] == "0.1"  # 0 is refused


def test_versions() -> None:
    said = {"verus": {"version": "0.2026.06.07.cd03505", "toolchain": "1.95.0-x86_64-unknown-linux-gnu"}}
    assert read_version(json.dumps(said, indent=2)) == ("0.2026.06.07.cd03505", "1.95.0-x86_64-unknown-linux-gnu")
    people = "Verus\n  Version: 0.2025.06.24.77d5bbe\n  Profile: release\n  Toolchain: 1.86.0\n"
    assert read_version(people) == ("0.2025.06.24.77d5bbe", "1.86.0")
    assert read_version("{") == read_version("hello") == ("", "")
    assert is_supported("0.2025.06.24.77d5bbe")
    assert not is_supported("0.2025.04.01.abc")
    assert not is_supported("0.2024.12.30.abc")
    assert is_supported("Unknown")


@pytest.mark.parametrize(
    ("program", "calls", "text", "wrong"),
    [
        ("verus! { }", "f();", "verus! { }\n\nfn main() {\nf();\n}\n", ""),
        ("verus! { fn main() { } }", "f();", "verus! { fn main() {\nf();\n} }", ""),
        ("verus! { } fn main() { g(); }", "", "verus! { } fn main() { g(); }", ""),
        ("verus! { } fn main() { g(); }", "f();", None, "the program has a main already"),
        ("verus! { fn main() { } }", "", None, "nothing to run"),
    ],
)
def test_calls_become_the_main_function(program: str, calls: str, text: str | None, wrong: str) -> None:
    made, said = with_main(program, calls)
    assert said.startswith(wrong) if wrong else not said
    assert text is None or made == text
