"""Checks in a program: where they stand, what they say, and what the verifier says of them."""

from itertools import pairwise

import pytest

from verulaw_rl.evidence.checks import read_sites
from verulaw_rl.languages.base import FALSE, Check, Point
from verulaw_rl.languages.nagini.language import NAGINI
from verulaw_rl.languages.nagini.view import read
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.verdict import Status, VerifyRequest

PROGRAM = """\
from typing import List
from nagini_contracts.contracts import *


def total(a: List[int], n: int) -> int:
    Requires(Acc(list_pred(a)))
    Requires(n >= 0)
    Ensures(Acc(list_pred(a)))
    Ensures(Result() >= 0 and Result() == n)
    t = 0
    while n > 0:
        Invariant(t >= 0 and n >= 0)
        n = n - 1
        t = t + 1
    if t == 7:
        return 7
    return t
"""
CHECKS = (
    Check("head", "total", Point("loop_head"), "t + n >= 0"),
    Check("behind", "total", Point("after_loop"), "n == 0"),
    Check("false", "total", Point("after_loop"), FALSE),
    Check("heap", "total", Point("loop_head"), "len(a) >= 0"),
    Check("entry", "total", Point("entry"), "n >= 0"),
    Check("result", "total", Point("exit"), "Result() >= 0"),
    Check("passed", "total", Point("exit"), "Result() == n"),
    Check("kept", "total", Point("exit"), "Acc(list_pred(a))"),
    Check("nowhere", "total", Point("loop_head", 1), "True"),
    Check("nobody", "other", Point("exit"), "True"),
    Check("nonsense", "total", Point("exit"), "1 +"),
)


def lines_of(text: str, check: str) -> list[str]:
    placed = NAGINI.instrument(PROGRAM, CHECKS)
    lines = text.split("\n")
    return [
        " ".join(x.strip() for x in lines[s.first_line - 1 : s.last_line]) for s in placed.sites if s.check == check
    ]


@pytest.mark.unit
def test_each_check_is_a_branch_of_its_own_on_lines_of_its_own():
    placed = NAGINI.instrument(PROGRAM, CHECKS)
    assert placed.unplaced == ("nowhere", "nobody", "nonsense")
    (head,) = lines_of(placed.text, "head")
    assert head == "if _verulaw_site(0): Assert(t + n >= 0) Assume(False)"
    lines = sorted((s.first_line, s.last_line) for s in placed.sites)
    assert all(last < first for (_, last), (first, _) in pairwise(lines))
    numbers = [int(line.split("(")[1].split(")")[0]) for s in CHECKS for line in lines_of(placed.text, s.id)]
    assert len(numbers) == len(set(numbers))


@pytest.mark.unit
def test_a_postcondition_speaks_of_the_returned_value_and_of_parameters_as_passed():
    placed = NAGINI.instrument(PROGRAM, CHECKS)
    first, second = lines_of(placed.text, "passed")
    assert "_verulaw_passed_n" in first
    assert "Result" not in first
    assert placed.text.count("_verulaw_passed_n = n") == 1
    assert first != second  # a variable for each return
    assert "n == 0" in lines_of(placed.text, "behind")[0]  # what stands inside the body means the variable


@pytest.mark.unit
def test_loops_before_a_site_are_those_that_a_path_may_have_run_through():
    placed = NAGINI.instrument(PROGRAM, CHECKS)
    loops = {s.check: s.after_loops for s in placed.sites}
    assert loops["entry"] == ()
    assert loops["head"] == loops["behind"] == loops["result"] == (0,)


@pytest.mark.unit
def test_nothing_is_placed_where_control_cannot_go():
    source = (
        "from nagini_contracts.contracts import *\n\n\ndef f(n: int) -> int:\n    Ensures(Result() == n)\n"
        "    while True:\n        Invariant(True)\n    return n\n\n\n"
        "def g(n: int) -> int:\n    Ensures(Result() == n)\n"
        "    if n == 1:\n        return 1\n    elif True:\n        return n\n"
    )
    checks = tuple(Check(f"{f}{p}", f, Point(p), FALSE) for f in ("f", "g") for p in ("exit", "after_loop"))
    placed = NAGINI.instrument(source, checks)
    assert [s.check for s in placed.sites] == ["gexit", "gexit"]


@pytest.mark.unit
def test_dropped_annotations_are_gone_and_the_others_keep_their_order():
    annotations = read(PROGRAM).view.annotations
    placed = NAGINI.instrument(PROGRAM, CHECKS[:1], (annotations[0].span,))
    lines = [(s.first_line, s.last_line) for s in placed.sites]
    inner = [a for a in read(placed.text).view.annotations if not any(low <= a.line <= high for low, high in lines)]
    assert inner == []
    assert "Invariant" not in placed.text


@pytest.mark.tool
def test_the_verifier_judges_each_check_apart() -> None:
    placed = NAGINI.instrument(PROGRAM, CHECKS)
    with Pool(PoolSettings(workers=1)) as pool:
        plain = pool.verify(VerifyRequest("nagini", PROGRAM))
        verdict = pool.verify(VerifyRequest("nagini", placed.text))
    assert plain.status is Status.FAILED  # the second postcondition is not proved
    proved = {check: [s.proved for s in sites] for check, sites in read_sites(placed, verdict).items()}
    assert proved == {
        "head": [True],
        "behind": [True],
        "false": [False],
        "heap": [False],  # no permission inside the loop: a failure there, and nowhere else
        "entry": [True],
        "result": [True, True],
        "passed": [False, False],
        "kept": [True, True],  # a loop without permission leaves what the method holds alone
    }
