"""Reading what Dafny prints. Texts are copies of what Dafny 2.3.0 printed here, or of its expected outputs."""

import pytest

from verulaw_rl.languages.base import Category
from verulaw_rl.verification.dafny.messages import classify
from verulaw_rl.verification.dafny.names import split_procedure
from verulaw_rl.verification.dafny.output import parse_output
from verulaw_rl.verification.dafny.recorded import recorded_verdict
from verulaw_rl.verification.verdict import Location, Status

pytestmark = pytest.mark.unit

CLI = """
Verifying Impl$$_module.__default.A ...
  [2 proof obligations]  error
q.dfy(1,25): Error BP5003: A postcondition might not hold on this return path.
q.dfy(1,19): Related location: This is the postcondition that might not hold.
Execution trace:
    (0,0): anon0
    q.dfy(7,2): anon3_LoopHead

Verifying CheckWellformed$$_0_M.C.f ...
  [1 proof obligation]  verified

Dafny program verifier finished with 1 verified, 1 error
"""

SERVER_TIMEOUT = """
Verifying Impl$$_module.__default.H ...
  [1 proof obligation]  timed out
f7.dfy(1,6): Verification of 'Impl$$_module.__default.H' timed out after 40 seconds
f7.dfy(1,79): Timed out on BP5003: A postcondition might not hold on this return path.
f7.dfy(1,70): Related location: This is the postcondition that might not hold.
f7.dfy(1,79): Timed out on BP5003: A postcondition might not hold on this return path.
f7.dfy(1,70): Related location: This is the postcondition that might not hold.
Verification completed successfully!
[SUCCESS] [[DAFNY-SERVER: EOM]]
"""

RESOURCE_CLI = """
Verification out of resource (Impl$$_module.__default.M)

Dafny program verifier finished with 0 verified, 0 errors
"""

SOLVER_DIED = """
Verifying Impl$$_module.__default.M ...
Advisory: Impl$$_module.__default.M SKIPPED because of internal error: unexpected prover output: killed
  [1 proof obligation]  inconclusive
a.dfy(1,7): Verification inconclusive (Impl$$_module.__default.M)
"""


def test_trace_lines_are_no_messages():
    output = parse_output(CLI)
    assert [(m.location, m.category) for m in output.messages] == [(Location(1, 25), Category.POSTCONDITION)]
    assert output.messages[0].related[0].location == Location(1, 19)
    assert [(p.name, p.outcome, p.obligations) for p in output.procedures] == [
        ("Impl$$_module.__default.A", "failed", 2),
        ("CheckWellformed$$_0_M.C.f", "verified", 1),
    ]
    assert output.summary is not None
    assert (output.summary.verified, output.summary.errors) == (1, 1)
    assert output.dialect == "2"


def test_undecided_checks_are_marked_and_counted_once():
    verdict = recorded_verdict(SERVER_TIMEOUT)
    assert verdict.status is Status.TIMEOUT
    assert not verdict.complete
    assert [(d.category, d.undecided) for d in verdict.failures] == [(Category.POSTCONDITION, True)]
    assert verdict.declarations[0].outcome == "timeout"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (RESOURCE_CLI, Status.INVALID),  # "0 verified, 0 errors": nothing was shown
        ("\nDafny program verifier finished with 0 verified, 0 errors\n", Status.INVALID),
        ("\nDafny program verifier finished with 2 verified, 0 errors\n", Status.VERIFIED),
        ("\nDafny program verifier finished with 2 verified, 0 errors, 1 time out\n", Status.TIMEOUT),
        ("\nDafny program verifier finished with 0 verified, 0 errors, 1 out of resource\n", Status.TIMEOUT),
        ("\nDafny program verifier finished with 5 verified, 0 errors, 1 inconclusive\n", Status.TIMEOUT),
        ("\nDafny program verifier finished with 5 verified, 2 errors\n", Status.FAILED),
        ("a.dfy(3,4): Error: rbrace expected\n1 parse errors detected in a.dfy\n", Status.INVALID),
        ("a.dfy(3,4): Error: unresolved identifier: y\n1 resolution/type errors detected in a.dfy\n", Status.INVALID),
        ("*** ProverException: Cannot find prover specified with z3exe: P\n", Status.ERROR),
        ("Dafny program verifier did not attempt verification\n", Status.ERROR),
        ("", Status.ERROR),
        ("no verifier wrote this\n", Status.ERROR),
        (
            "a.dfy(2,7): Error: Verification of 'M' timed out after 3 seconds. (the limit can be increased using "
            "--verification-time-limit)\n\nDafny program verifier finished with 1 verified, 0 errors, 1 time out\n",
            Status.TIMEOUT,
        ),
        ("a.dfy(2,7): Error: Verification out of resource (M)\n", Status.TIMEOUT),
    ],
)
def test_status(text, status):
    assert recorded_verdict(text).status is status


def test_solver_crash_is_seen():
    assert "SKIPPED because of internal error" in parse_output(SOLVER_DIED).crash


def test_snippets_and_second_lines_of_4():
    text = (
        "a.dfy(5,4): Error: this loop invariant could not be proved on entry\n"
        " Related message: loop invariant violation\n"
        "  |\n5 |   invariant x\n  |             ^\n"
        "a.dfy(9,2): Error: a postcondition could not be proved on this return path\n"
        "  |\n9 | {\n  | ^\n"
        "a.dfy(8,11): Related location: this is the postcondition that could not be proved\n"
        "  |\n8 |   ensures y\n  |           ^\n"
        "\nDafny program verifier finished with 0 verified, 2 errors\n"
    )
    verdict = recorded_verdict(text)
    assert [(d.kind, d.message.count("\n")) for d in verdict.diagnostics] == [
        ("invariant_entry", 0),
        ("postcondition", 0),
    ]
    assert verdict.diagnostics[1].related[0].location == Location(8, 11)
    assert verdict.complete


def test_lines_of_a_custom_text_are_no_structure():
    # From `assert {:error @"x<newline>other.dfy(1,2): Error: ..."} false;` on the server.
    text = (
        "\nVerifying Impl$$_module.__default.M ...\n  [1 proof obligation]  error\n"
        "secret.dfy(3,12): Error: x\nother.dfy(1,2): Error: assertion violation\nDafny\n"
        "Verification completed successfully!\n"
    )
    output = parse_output(text, file="secret.dfy", server=True)
    assert [m.location for m in output.messages] == [Location(3, 12)]
    assert output.messages[0].category is None
    assert output.messages[0].text.startswith("x\nother.dfy")


def test_words_without_their_code_are_the_programs_own():
    text = "\nVerifying Impl$$_module.__default.M ...\n  [1 proof obligation]  error\n"
    text += "a.dfy(1,2): Error: A postcondition might not hold on this return path.\n"
    assert recorded_verdict(text + "Verification completed successfully!\n").diagnostics[0].kind == "other"


def test_the_worst_of_two_outcomes_counts():
    text = (
        "\nVerifying Impl$$_module.__default.M ...\n  [1 proof obligation]  error\na.dfy(1,2): Error: x\n"
        "\nVerifying Impl$$_module.__default.M ...\n  [9 proof obligations]  verified\n"
        "Verification completed successfully!\n"
    )
    assert [(o.declaration, o.outcome) for o in recorded_verdict(text).declarations] == [("M", "failed")]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Impl$$_module.__default.M", ("M", "body")),
        ("Impl$$_0_A.C.m", ("A.C.m", "body")),
        ("CheckWellformed$$_module.__default.f__x", ("f_x", "wellformedness")),
        ("Impl$$_0_C.D__e.__ctor", ("C.D_e._ctor", "body")),
        ("Impl$$_module.__default.foo__bar_k_q", ("foo_bar'?", "body")),
        ("Impl$$_2_default__.__default.x____y", ("default_.x__y", "body")),
        ("Impl$$_module.__default.IL_h", ("IL", "body")),
        ("OverrideCheck$$_1_M.C.x", ("M.C.x", "override")),
        ("M.C.foo (well-formedness)", ("M.C.foo", "wellformedness")),
    ],
)
def test_procedure_names(name, path):
    assert split_procedure(name) == path


@pytest.mark.parametrize(
    ("text", "category", "kind"),
    [
        ("index out of range", "safety", "index"),
        ("index 1 out of range", "safety", "index"),
        ("possible division by zero", "safety", "division"),
        ("decreases expression might not decrease", "termination", "decreases"),
        ("failure to decrease termination measure", "termination", "decreases"),
        (
            "decreases expression must be bounded below by 0 at end of loop iteration",
            "termination",
            "decreases_bounded",
        ),
        (
            "cannot prove termination; try supplying a decreases clause for the loop",
            "termination",
            "termination_unproved",
        ),
        ("target object may be null", "safety", "null"),
        ("target object might be null", "safety", "null"),
        ("target object could not be proved to be non-null", "safety", "null"),
        ("possible violation of function precondition", "safety", "function_precondition"),
        ("assignment may update an array element not in the enclosing context's modifies clause", "safety", "frame"),
        ("insufficient reads clause to read field; Consider adding 'reads c' to it", "safety", "frame"),
        ("value does not satisfy the subset constraints of 'nat'", "safety", "constraint"),
        ("value of expression (of type 'T?') is not known to be an instance of type 'T'", "safety", "constraint"),
        ("result of operation might violate newtype constraint for 'byte'", "safety", "constraint"),
        ("alternative cases fail to cover all possibilties", "safety", "match"),
        ("missing case in case statement: Nil", "safety", "match"),
        ("this invariant could not be proved to be maintained by the loop", "invariant", "invariant_maintained"),
        ("This loop invariant might not hold on entry.", "invariant", "invariant_entry"),
        ("assertion might not hold", "assertion", "assertion"),
        ("assertion violation", "assertion", "assertion"),
        ("possible violation of postcondition of forall statement", "assertion", "forall_postcondition"),
        (
            "the method must provide an equal or more detailed postcondition than in its parent trait",
            "postcondition",
            "trait_postcondition",
        ),
        ("possible violation of yield-ensures condition", "postcondition", "yield_postcondition"),
        (
            "variable 'x', which is subject to definite-assignment rules, might be used before it has been assigned",
            "safety",
            "definite_assignment",
        ),
        ("cannot establish the existence of LHS values that satisfy the such-that predicate", "safety", "such_that"),
    ],
)
def test_messages(text, category, kind):
    meaning = classify(text)
    assert meaning is not None
    assert (meaning.category, meaning.kind) == (category, kind)


def test_unknown_words_have_no_meaning_of_their_own():
    assert classify("CUSTOM TEXT") is None
    assert classify("CUSTOM TEXT", "BP5002") == (Category.SAFETY, "precondition")


def test_recorded_outputs_of_4(shared_data):
    """As many errors as the summaries say, and at most 2 % of messages without a category of their own."""
    files = sorted((shared_data / "dafny4-outputs").glob("*.expect"))
    assert len(files) == 104
    messages = nameless = 0
    for file in files:
        verdict = recorded_verdict(file.read_text())
        errors = [d for d in verdict.diagnostics if d.severity == "error"]
        assert len(errors) == verdict.error_count, file.name
        messages += len(errors)
        nameless += sum(d.kind == "other" or d.category is None for d in errors)
    assert messages == 869
    assert nameless / messages <= 0.02
