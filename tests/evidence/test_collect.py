"""The six properties of the reward on real runs of Dafny. Expected values are worked out by hand from the table."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from verulaw_rl.evidence.collect import collect
from verulaw_rl.evidence.evidence import Evidence
from verulaw_rl.evidence.live import pool_verifier
from verulaw_rl.evidence.obligations import enumerate_obligations
from verulaw_rl.evidence.reward import load_reward
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.registry import get_language
from verulaw_rl.suites.build import SourceProgram, build_suite
from verulaw_rl.suites.instance import Instance
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.verdict import Limits, Status, Verdict

pytestmark = pytest.mark.tool

BOUND, GOAL_SO_FAR = "    invariant 0 <= i <= n\n", "    invariant s == Sum(i)\n"
LOOP = "  while i < n\n"
REFERENCE = f"""function Sum(n: nat): nat {{ if n == 0 then 0 else n + Sum(n-1) }}
method S(n: nat) returns (s: nat)
  ensures s == Sum(n)
{{
  s := 0;
  var i := 0;
{LOOP}{BOUND}{GOAL_SO_FAR}  {{
    i := i + 1;
    s := s + i;
  }}
}}
"""
AFTER_LOOP = "    s := s + i;\n  }\n"
CONTRACT = REFERENCE[: REFERENCE.index("{\n  s := 0")]
REWARD = load_reward("rewards/obligation.py")
# Sum: safety, recursion. S: one postcondition, safety, one loop. Probes: both invariants.
# weights: postcondition 0.25, invariant 0.4, safety 0.1, termination 0.1: together 0.85
WHOLE = 0.85


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(PoolSettings(workers=2)) as running:
        yield running


@pytest.fixture(scope="module")
def instances(pool: Pool) -> dict[Task, Instance]:
    tasks = (Task.ANNOTATION_REPAIR, Task.CODE_GENERATION)
    built = build_suite("x", "dafny", [SourceProgram("sum", REFERENCE)], tasks, pool_verifier(pool, "dafny"))
    assert built.rejected == ()
    return {i.task: i for i in built.suite.instances}


@pytest.fixture
def repair(instances: dict[Task, Instance], pool: Pool):
    def run(candidate: str) -> Evidence:
        return collect(instances[Task.ANNOTATION_REPAIR], candidate, pool_verifier(pool, "dafny"))

    return run


@pytest.fixture
def write(instances: dict[Task, Instance], pool: Pool):
    def run(candidate: str) -> Evidence:
        return collect(instances[Task.CODE_GENERATION], candidate, pool_verifier(pool, "dafny"))

    return run


def total(evidence: Evidence) -> float:
    score = REWARD.score(evidence).total
    assert score is not None
    return score


def undischarged(evidence: Evidence) -> list[str]:
    return [r.id for r in evidence.results if not r.discharged]


def stripped_with(invariants: str) -> str:
    return REFERENCE.replace(BOUND + GOAL_SO_FAR, invariants)


def test_the_instance_has_what_the_table_says(instances: dict[Task, Instance]):
    repair, write = instances[Task.ANNOTATION_REPAIR], instances[Task.CODE_GENERATION]
    assert {c.value: n for c, n in repair.totals.items()} == {
        "postcondition": 1,
        "invariant": 2,
        "assertion": 0,
        "safety": 2,
        "termination": 2,
    }
    assert {c.value: n for c, n in write.totals.items()} == {
        "postcondition": 1,
        "invariant": 0,
        "assertion": 0,
        "safety": 1,
        "termination": 1,
    }
    assert repair.given == REFERENCE.replace(BOUND + GOAL_SO_FAR, "")


def test_reference_scores_three_and_the_given_does_not_verify(repair, write, instances):
    assert total(repair(REFERENCE)) == pytest.approx(3.0)
    assert total(write(REFERENCE)) == pytest.approx(3.0)
    given = repair(instances[Task.ANNOTATION_REPAIR].given)
    assert given.status is Status.FAILED
    # safety and termination hold, the rest does not
    assert total(given) == pytest.approx(0.2 / WHOLE)
    assert not write(instances[Task.CODE_GENERATION].given).verified


def test_half_a_proof_earns_its_probe(repair):
    assert undischarged(repair(stripped_with(BOUND))) == ["postcondition:S:0", "probe:1"]
    assert total(repair(stripped_with(BOUND))) == pytest.approx((0.2 + 0.4 / 2) / WHOLE)


def test_padding_does_not_pay(repair, instances):
    given = total(repair(instances[Task.ANNOTATION_REPAIR].given))
    for padding in ("    invariant true\n", "    invariant n >= 0\n", "    invariant n >= 0\n    invariant n >= 0\n"):
        assert total(repair(stripped_with(padding))) == pytest.approx(given)
    assert total(repair(stripped_with(BOUND + BOUND))) == pytest.approx(total(repair(stripped_with(BOUND))))


@pytest.mark.parametrize(
    "claim",
    [
        stripped_with("    invariant s == Sum(n)\n"),
        stripped_with("    invariant false\n"),
        stripped_with("").replace(AFTER_LOOP, AFTER_LOOP + "  assert s == Sum(n);\n"),
        stripped_with("").replace(AFTER_LOOP, AFTER_LOOP + "  assert false;\n"),
        stripped_with("").replace(AFTER_LOOP, AFTER_LOOP + "  L(s, n);\n")
        + "lemma L(s: nat, n: nat)\n  ensures s == Sum(n)\n{\n}\n",
    ],
    ids=["goal as invariant", "false as invariant", "goal as assertion", "false as assertion", "goal as lemma"],
)
def test_claiming_what_is_not_proved_does_not_pay(repair, instances, claim):
    evidence = repair(claim)
    assert "postcondition:S:0" in undischarged(evidence)
    assert total(evidence) <= total(repair(instances[Task.ANNOTATION_REPAIR].given))


def test_a_false_invariant_beside_the_right_ones_costs_one_invariant(repair):
    evidence = repair(stripped_with(BOUND + GOAL_SO_FAR + "    invariant s == i\n"))
    assert undischarged(evidence) == []
    assert total(evidence) == pytest.approx((WHOLE - 0.4 / 2) / WHOLE)


def test_what_stands_behind_a_loop_not_proved_to_end_is_undischarged(repair, write):
    evidence = repair(stripped_with(BOUND + GOAL_SO_FAR + "    decreases 0\n"))
    assert {"postcondition:S:0", "termination:S:loop0"} <= set(undischarged(evidence))
    endless = write(CONTRACT + "{\n  while true {\n  }\n}\n")
    assert undischarged(endless) == ["postcondition:S:0", "termination:S"]


def test_a_recursion_that_does_not_end_proves_nothing(write):
    assert undischarged(write(CONTRACT + "{\n  s := S(n);\n}\n")) == ["postcondition:S:0", "safety:S", "termination:S"]


def test_clauses_hidden_by_an_earlier_failure_are_found(pool: Pool, instances: dict[Task, Instance]):
    contract = "method Q(x: int) returns (r: int)\n" + "".join(f"  ensures r == {k}\n" for k in range(7))
    body = contract + "{\n  r := 3;\n}\n"
    instance = replace(
        instances[Task.CODE_GENERATION],
        given=contract,
        obligations=enumerate_obligations(get_language("dafny"), Task.CODE_GENERATION, contract, body),
        covered=("Q",),
    )
    missed = undischarged(collect(instance, body, pool_verifier(pool, "dafny")))
    assert missed == [f"postcondition:Q:{k}" for k in range(7) if k != 3]


@pytest.mark.parametrize("broken", [REFERENCE + "{", REFERENCE.replace("s == Sum(i)", "q == Sum(i)"), ""])
def test_an_invalid_program_discharges_nothing(repair, broken):
    assert len(undischarged(repair(broken))) == 7
    assert total(repair(broken)) <= 0


def test_a_dead_exit_is_honest_where_the_control_flow_is_the_candidates(write):
    dead = REFERENCE.replace("  s := 0;\n", "  if n < 0 { return 0; }\n  s := 0;\n", 1)
    assert total(write(dead)) == pytest.approx(3.0)


def test_returned_expressions_are_what_the_clauses_speak_of(write):
    recursive = CONTRACT + "{\n  if n == 0 { return 0; }\n  s := S(n - 1);\n  return s + n;\n}\n"
    assert total(write(recursive)) == pytest.approx(3.0)
    wrong = CONTRACT + "{\n  if n == 0 { return 1; }\n  s := S(n - 1);\n  return s + n;\n}\n"
    assert undischarged(write(wrong)) == ["postcondition:S:0"]


def test_time_out_and_failure_of_a_declaration_give_the_same(instances: dict[Task, Instance], pool: Pool):
    instance = instances[Task.ANNOTATION_REPAIR]
    live = pool_verifier(pool, "dafny")

    def timed_out(program: str) -> Verdict:
        verdict = live(program)
        return replace(verdict, status=Status.TIMEOUT) if verdict.status is Status.FAILED else verdict

    candidate = stripped_with(BOUND)
    assert total(collect(instance, candidate, timed_out)) == total(collect(instance, candidate, live))


def test_same_evidence_whatever_the_workers_and_the_cache(instances: dict[Task, Instance], pool: Pool):
    instance = instances[Task.ANNOTATION_REPAIR]
    candidates = [stripped_with(s) for s in (BOUND, GOAL_SO_FAR, BOUND + GOAL_SO_FAR, "    invariant s == i\n")]
    first = [collect(instance, c, pool_verifier(pool, "dafny")) for c in candidates]
    with Pool(PoolSettings(workers=1, cache_entries=0)) as other:
        again = [collect(instance, c, pool_verifier(other, "dafny", Limits())) for c in reversed(candidates)]
    assert [replace(e, times={}) for e in first] == [replace(e, times={}) for e in reversed(again)]


def test_the_machines_failure_is_unscorable(instances: dict[Task, Instance], pool: Pool):
    instance = instances[Task.ANNOTATION_REPAIR]

    def down(program: str) -> Verdict:
        return replace(pool_verifier(pool, "dafny")(program), status=Status.ERROR, message="worker lost")

    assert REWARD.score(collect(instance, REFERENCE, down)).total is None
