"""Evidence of Nagini candidates, from the real tool: what is discharged, what is padding, what is a cheat."""

from collections.abc import Iterator

import pytest

from verulaw_rl.evidence.ablation import Verifier
from verulaw_rl.evidence.collect import collect
from verulaw_rl.evidence.evidence import Evidence
from verulaw_rl.evidence.live import pool_verifier
from verulaw_rl.evidence.reward import load_reward
from verulaw_rl.languages.base import Category, Task
from verulaw_rl.languages.nagini.language import NAGINI
from verulaw_rl.suites.build import SourceProgram, build_suite
from verulaw_rl.suites.instance import Instance
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.verdict import Status

pytestmark = pytest.mark.tool

PROGRAM = """\
from typing import List
from nagini_contracts.contracts import *


def total(a: List[int]) -> int:
    Requires(Acc(list_pred(a)))
    Ensures(Acc(list_pred(a)))
    Ensures(Result() >= 0 and Result() == len(a))
    Ensures(len(a) == Old(len(a)))
    t = 0
    i = 0
    while i < len(a):
        Invariant(Acc(list_pred(a)) and len(a) == Old(len(a)))
        Invariant(0 <= i and i <= len(a))
        Invariant(t == i)
        t = t + 1
        i = i + 1
    return t
"""
NO_INVARIANTS = NAGINI.strip_annotations(PROGRAM)


def with_invariants(*lines: str) -> str:
    text = "".join(f"        Invariant({line})\n" for line in lines)
    return NO_INVARIANTS.replace("    while i < len(a):\n", "    while i < len(a):\n" + text)


@pytest.fixture(scope="module")
def verify() -> Iterator[Verifier]:
    with Pool(PoolSettings(workers=1)) as pool:
        yield pool_verifier(pool, "nagini")


@pytest.fixture(scope="module")
def instances(verify: Verifier) -> dict[Task, Instance]:
    tasks = (Task.ANNOTATION_REPAIR, Task.CODE_GENERATION)
    built = build_suite("t", "nagini", [SourceProgram("total", PROGRAM)], tasks, verify)
    assert built.rejected == ()
    return {i.task: i for i in built.suite.instances}


def score(evidence: Evidence) -> float:
    total = load_reward("rewards/obligation.py").score(evidence).total
    assert total is not None
    return total


def test_an_instance_has_clauses_conjunct_by_conjunct_and_no_termination(instances: dict[Task, Instance]) -> None:
    repair = instances[Task.ANNOTATION_REPAIR]
    assert repair.totals[Category.TERMINATION] == 0
    assert [o.detail for o in repair.obligations if o.category is Category.POSTCONDITION] == [
        "Acc(list_pred(a))",
        "Result() >= 0",
        "Result() == len(a)",
        "len(a) == Old(len(a))",
    ]
    facts = {p.expression for p in repair.probes}
    assert "Acc(list_pred(a))" in facts  # a permission is a fact of its own
    assert "t == i" in facts


def test_each_fact_that_a_loop_keeps_is_worth_something(instances: dict[Task, Instance], verify: Verifier) -> None:
    instance = instances[Task.ANNOTATION_REPAIR]
    nothing = collect(instance, NO_INVARIANTS, verify)
    some = collect(instance, with_invariants("0 <= i", "t == i"), verify)
    more = collect(instance, with_invariants("Acc(list_pred(a))", "0 <= i", "t == i"), verify)
    everything = collect(instance, PROGRAM, verify)
    assert {e.status for e in (nothing, some, more)} == {Status.FAILED}
    assert 0 <= score(nothing) < score(some) < score(more) < 1 < score(everything) == 3
    discharged = {r.id for r in more.results if r.discharged}
    assert {"postcondition:total:0", "postcondition:total:1", "safety:total"} <= discharged
    assert "postcondition:total:2" not in discharged


def test_stating_more_than_can_be_proved_does_not_pay(instances: dict[Task, Instance], verify: Verifier) -> None:
    instance = instances[Task.ANNOTATION_REPAIR]
    nothing = collect(instance, NO_INVARIANTS, verify)
    for lines in (["t == len(a)"], ["True", "True"], ["t > i", "Result() == 3"]):
        padded = collect(instance, with_invariants(*lines), verify)
        assert not padded.verified
        assert score(padded) <= score(nothing)
    asserted = NO_INVARIANTS.replace("    return t\n", "    Assert(t == len(a) and t >= 0)\n    return t\n")
    assert score(collect(instance, asserted, verify)) <= score(nothing)


def test_a_loop_that_proves_false_is_found(instances: dict[Task, Instance], verify: Verifier) -> None:
    instance = instances[Task.CODE_GENERATION]
    body = PROGRAM.split("    t = 0\n")[0] + (
        "    i = 0\n    while i < 1:\n        Invariant(Acc(list_pred(a)))\n        Invariant(i == 0)\n"
        "        i = i * 1\n    return 0\n"
    )
    evidence = collect(instance, body, verify)
    assert evidence.status is Status.VERIFIED
    assert [f.construct for f in evidence.findings] == ["vacuous_proof"]
    assert score(evidence) == -3
