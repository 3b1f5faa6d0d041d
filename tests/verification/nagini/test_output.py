"""Reading what Nagini's command line printed (1.2.0, from runs of it), and the verdicts that it amounts to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verulaw_rl.verification.nagini.output import from_text, place_of
from verulaw_rl.verification.nagini.recorded import recorded_verdict
from verulaw_rl.verification.verdict import Location, Status

pytestmark = pytest.mark.unit

FAILED = """\
Verification failed
Errors:
Postcondition of __init__ might not hold. Assertion (self.x == 4) might not hold. (bad.py@8.16--8.44)
The precondition of method get might not hold. Assertion (a > 5) might not hold. \
(bad.py@20.4--23.20, via overridden method at bad.py@11.4--14.20)
The precondition of l[3] might not hold.  (bad.py@32.8--32.12)
Verification took 7.30 seconds.
"""
PROGRAM = """\
from nagini_contracts.contracts import *

class C:
    def m(self, y: int) -> int:
        Requires(y > 0)
        Ensures(Result() > y and Result() > 100)
        return y + 1
"""


def test_success():
    verdict = recorded_verdict("Verification successful\nVerification took 3.10 seconds.\n")
    assert (verdict.status, verdict.complete, verdict.diagnostics) == (Status.VERIFIED, True, ())


def test_failures_with_places():
    verdict = recorded_verdict(FAILED)
    assert verdict.status is Status.FAILED
    assert [(d.kind, d.location.line, d.location.column) for d in verdict.diagnostics] == [
        ("postcondition", 8, 16),
        ("precondition", 20, 4),
        ("index", 32, 8),
    ]
    assert [(r.location.line, r.message) for r in verdict.diagnostics[1].related] == [(11, "via overridden method")]


def test_the_clause_and_the_declaration():
    text = "Verification failed\nErrors:\n{} (p.py@6.16--6.47)\n"
    said = "Postcondition of m might not hold. Assertion (Result() > 100) might not hold."
    (diagnostic,) = recorded_verdict(text.format(said), PROGRAM).diagnostics
    assert (diagnostic.declaration, diagnostic.clause) == ("C.m", "Ensures(Result() > y and Result() > 100)")


def test_ide_mode_counts_columns_from_one():
    text = "Verification failed\nErrors:\na.py:3:5:3:10: error: Assert might fail. Assertion (x > 0) might not hold.\n"
    (failure,) = from_text(text).failures
    assert (failure.error, failure.at.start, failure.at.end) == ("assert.failed", Location(3, 4), Location(3, 9))


def test_an_expression_over_several_lines():
    text = (
        "Verification failed\nErrors:\nAssert might fail. Assertion (x == '''a\nb (c.py@1.1)\n''') might not hold. "
        "(a.py@3.4--5.9)\nLoop invariant might not be preserved. Assertion (s == i) might not hold. (a.py@9.4--9.6)\n"
        "Verification took 2.00 seconds.\n"
    )
    # The first cut is a guess where program text imitates a place; nothing is lost and nothing is verified.
    assert recorded_verdict(text).status is Status.FAILED
    assert from_text(text).failures[-1].error == "invariant.not.preserved"


@pytest.mark.parametrize(
    ("text", "kind", "message", "place"),
    [
        ('Type error: Name "x" is not defined (a.py@7.0)', "type", 'Name "x" is not defined', (7, 0)),
        ("Type error: invalid syntax (a.py@2.0)", "parse", "invalid syntax", (2, 0)),
        ("Invalid program: invalid.contract.position (a.py@6.4)", "invalid", "invalid.contract.position", (6, 4)),
        ("Not supported: \n\nx = yield 3\n (a.py@5.8)", "unsupported", "not supported: x = yield 3", (5, 8)),
        ("mypy: can't read file 'a.py': No such file", "type", "mypy: can't read file 'a.py': No such file", (0, 0)),
    ],
)
def test_not_translated(text, kind, message, place):
    verdict = recorded_verdict(f"Translation failed\n{text}\n")
    (diagnostic,) = verdict.diagnostics
    assert (verdict.status, diagnostic.category) == (Status.INVALID, None)
    assert (diagnostic.kind, diagnostic.message) == (kind, message)
    assert (diagnostic.location.line, diagnostic.location.column) == place


def test_a_crash_of_the_translator_is_the_programs():
    trace = "Traceback (most recent call last):\n  File x\nAttributeError: 'NoneType' object has no attribute 'name'\n"
    output = from_text("", trace)
    assert output.outcome == "invalid"
    assert output.problems[0].kind == "translator"


def test_a_crash_of_the_type_checker_is_the_programs():
    said = (
        "a.py:3: error: INTERNAL ERROR -- Please try using mypy master on Github:\nTraceback (most recent call last):\n"
    )
    output = from_text("", said + "RecursionError: maximum recursion depth exceeded\n")
    assert (output.outcome, output.problems[0].message) == ("invalid", "the type checker fails on this program")


@pytest.mark.parametrize(
    "text",
    [
        # No Z3; and a whole-run time-out, which 1.2.0 cannot put into words.
        "viper.silicon.interfaces.ExternalToolError\n\tat viper.silicon.decider.ProverStdIO.start(Prover.scala:1)\n",
        "Traceback (most recent call last):\nAttributeError: 'TimeoutOccurred' object has no attribute 'reason'",
        "Verification failed\nErrors:\nAn internal error occurred. Internal Viper error. (a.py@1.0--1.1)\n",
        "",
    ],
)
def test_a_fault_of_the_tool_is_no_verdict(text):
    assert recorded_verdict(text).status is Status.ERROR


def test_a_newer_release_says_that_it_timed_out():
    assert recorded_verdict("Verification timed out\n").status is Status.TIMEOUT


def test_places():
    assert place_of("a b.py@3.4--5.6").end == Location(5, 6)
    assert place_of("no place") is None


@given(st.text(max_size=300), st.sampled_from(["", "Verification failed\nErrors:\n", "Translation failed\n"]))
def test_any_text_is_read(text, before):
    assert recorded_verdict(before + text).status is not Status.VERIFIED or "Verification successful" in text
