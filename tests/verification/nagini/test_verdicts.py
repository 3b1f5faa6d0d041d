"""From the resident's answers to verdicts. The first answer is that of 1.2.0 for the program, shortened."""

import copy

import pytest

from verulaw_rl.languages.base import Category
from verulaw_rl.verification.nagini.output import from_answer
from verulaw_rl.verification.nagini.verdicts import make_verdict
from verulaw_rl.verification.verdict import Status, ToolIdentity, Verdict

pytestmark = pytest.mark.unit

PROGRAM = """\
from nagini_contracts.contracts import *


def f(y: int) -> int:
    Ensures(Result() > y and Result() > 100)
    return y + 1


@ContractOnly
def trusted(a: int) -> int:
    Ensures(Result() > a)


def g(y: int) -> int:
    return y
"""


def declared(path: str, line: int, *, contract_only: bool = False) -> dict:
    flags = {"pure": False, "predicate": False, "contract_only": contract_only}
    return {"path": path, "viper": path, "line": line, **flags}


FAILED = {
    "outcome": "failed",
    "errors": [
        {
            "error": "postcondition.violated",
            "reason": "assertion.false",
            "message": "Postcondition of f might not hold.",
            "because": "Assertion (Result() > 100) might not hold.",
            "at": ["program.py", 5, 12, 5, 43],
            "reason_at": ["program.py", 5, 29, 5, 43],
            "vias": [],
            "unknown": ["(incomplete quantifiers)"],
        }
    ],
    "members": [["int___gt__", "Function", True, 30], ["f", "Method", False, 80], ["g", "Method", True, 2]],
    "declared": [declared("f", 4), declared("trusted", 10, contract_only=True), declared("g", 14)],
    "solver_s": 0.5,
    "verify_s": 2.0,
    "translate_s": 0.5,
}


def judge(answer: dict, *, error_limit: int = 200) -> Verdict:
    return make_verdict(from_answer(answer), PROGRAM, tool=ToolIdentity("nagini", "1.2.0", ""), error_limit=error_limit)


def changed(**more) -> dict:
    return copy.deepcopy(FAILED) | more


def verified(*names: str) -> dict:
    return changed(outcome="verified", errors=[], members=[[n, "Method", True, 1] for n in names])


def outcomes(verdict: Verdict) -> dict[str, str]:
    return {o.declaration: o.outcome for o in verdict.declarations}


def test_a_failure():
    verdict = judge(FAILED)
    (failure,) = verdict.failures
    assert (verdict.status, verdict.complete) == (Status.FAILED, True)
    assert (failure.category, failure.declaration) == (Category.POSTCONDITION, "f")
    assert failure.clause == "Ensures(Result() > y and Result() > 100)"
    assert failure.related[0].location.column == 29
    assert not failure.undecided
    assert outcomes(verdict) == {"f": "failed", "trusted": "skipped", "g": "verified"}


def test_two_conjuncts_at_one_place_are_two_failures():
    other = copy.deepcopy(FAILED["errors"][0]) | {"reason_at": ["program.py", 5, 12, 5, 24]}
    assert len(judge(changed(errors=[*FAILED["errors"], other])).failures) == 2
    # The same failure on another path is none.
    assert len(judge(changed(errors=FAILED["errors"] * 2)).diagnostics) == 1


def test_a_check_that_ran_out_is_not_refuted():
    errors = [FAILED["errors"][0] | {"unknown": ["max. resource limit exceeded"]}]
    verdict = judge(changed(errors=errors))
    assert (verdict.status, verdict.complete) == (Status.TIMEOUT, False)
    assert verdict.failures[0].undecided
    permission = errors[0] | {"reason": "insufficient.permission"}
    assert judge(changed(errors=[permission])).status is Status.FAILED


def test_verified_only_when_every_body_was_checked():
    assert judge(verified("f", "g")).status is Status.VERIFIED
    verdict = judge(verified("f"))
    assert (verdict.status, verdict.message) == (Status.FAILED, "not checked by the tool: g")
    assert not verdict.complete or verdict.status is not Status.VERIFIED


def test_what_is_only_trusted_is_nothing_to_verify():
    only = changed(outcome="verified", errors=[], members=[], declared=[declared("trusted", 10, contract_only=True)])
    assert judge(only).status is Status.INVALID


def test_out_of_solver_time():
    verdict = judge(changed(outcome="timeout", errors=[], members=[["g", "Method", True, 2]]))
    assert (verdict.status, verdict.complete) == (Status.TIMEOUT, False)
    assert outcomes(verdict) == {"f": "timeout", "trusted": "skipped", "g": "verified"}
    # What had failed before stays a failure.
    assert judge(changed(outcome="timeout")).status is Status.FAILED


def test_the_limit_of_errors_leaves_it_open_whether_there_are_more():
    assert not judge(FAILED, error_limit=1).complete


def test_a_fault_is_the_tools():
    verdict = judge({"outcome": "fault", "said": "java.lang.StackOverflowError\n\tat x", "members": [], "declared": []})
    assert (verdict.status, verdict.message) == (Status.ERROR, "java.lang.StackOverflowError")


@pytest.mark.parametrize("answer", [{}, {"outcome": "fine"}, {"outcome": "failed", "errors": [{}]}])
def test_nonsense_is_no_answer(answer):
    with pytest.raises((KeyError, ValueError, TypeError)):
        from_answer(answer)
