"""The arithmetic of the design's reward, by hand, and its properties on any evidence."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evidence.factory import evidence, finding
from verulaw_rl.errors import UserError
from verulaw_rl.evidence.evidence import EVIDENCE, Evidence, evidence_to_row
from verulaw_rl.evidence.reward import load_reward
from verulaw_rl.languages.base import Category, FindingKind, Task
from verulaw_rl.verification.verdict import Status

pytestmark = pytest.mark.unit

OBLIGATION = load_reward("rewards/obligation.py")
BINARY = load_reward("rewards/binary.py")
P, I, A, S, T = Category  # noqa: E741 - in the order of the design's table
TOTALS = {P: 2, I: 4, S: 1, T: 1}


def test_partial_annotation_repair_by_hand():
    seen = evidence(TOTALS, {P: 1, I: 3, S: 1, T: 0})
    # weights 0.25, 0.4, 0.1, 0.1 over the exercised categories; shares 1/2, 3/4, 1, 0
    expected = (0.25 * 0.5 + 0.4 * 0.75 + 0.1 * 1 + 0.1 * 0) / 0.85
    score = OBLIGATION.score(seen)
    assert score.total == pytest.approx(expected)
    assert score.outcome == "partial"
    assert score.components["invariant"] == pytest.approx(0.75)


def test_partial_code_generation_by_hand():
    seen = evidence({P: 3, S: 1, T: 1}, {P: 2, S: 1, T: 1}, task=Task.CODE_GENERATION)
    # weights 0.5, 0.2, 0.1; shares 2/3, 1, 1
    assert OBLIGATION.score(seen).total == pytest.approx((0.5 * 2 / 3 + 0.2 + 0.1) / 0.8)


def test_own_failures_count_against_their_category():
    seen = evidence(TOTALS, TOTALS, failures=(I,))
    assert OBLIGATION.score(seen).total == pytest.approx((0.25 + 0.4 * 0.75 + 0.1 + 0.1) / 0.85)


def test_failure_of_a_category_not_exercised_counts_in_safety():
    seen = evidence({P: 1, S: 2}, {P: 1, S: 2}, failures=(A,))
    assert seen.undischarged(S) == 1
    assert OBLIGATION.score(seen).total == pytest.approx((0.25 + 0.1 * 0.5) / 0.35)


def test_more_failures_than_obligations_leave_nothing_negative():
    seen = evidence({P: 1, S: 1}, {P: 1, S: 1}, failures=(S, S, S))
    assert seen.discharged(S) == 0
    assert OBLIGATION.score(seen).total == pytest.approx(0.25 / 0.35)


def test_verified_reference_scores_three():
    seen = evidence(TOTALS, TOTALS, status=Status.VERIFIED)
    assert OBLIGATION.score(seen).total == pytest.approx(3.0)


@pytest.mark.parametrize("status", list(Status))
def test_integrity_outranks_the_verifier(status: Status):
    changed = evidence(TOTALS, TOTALS, status=status, findings=(finding(FindingKind.SPECIFICATION),))
    escaped = evidence(TOTALS, TOTALS, status=status, findings=(finding(FindingKind.PROOF),))
    assert OBLIGATION.score(changed).total == -1.0
    assert OBLIGATION.score(escaped).total == -3.0


def test_the_tools_fault_is_unscorable_and_the_programs_fault_is_zero():
    assert OBLIGATION.score(evidence(TOTALS, {}, status=Status.ERROR)).total is None
    assert OBLIGATION.score(evidence(TOTALS, {}, status=Status.ERROR, program_fault=True)).total == 0.0


def test_failed_and_timeout_give_the_same():
    shares = {P: 1, I: 2}
    failed, timeout = (evidence(TOTALS, shares, status=s) for s in (Status.FAILED, Status.TIMEOUT))
    assert OBLIGATION.score(failed).total == OBLIGATION.score(timeout).total


def test_probes_off_and_audit_off():
    seen = evidence(TOTALS, {P: 2, I: 0, S: 1, T: 1}, findings=(finding(FindingKind.SPECIFICATION),))
    off = load_reward("rewards/obligation.py", {"probes": False, "audit": False})
    assert off.score(seen).total == pytest.approx(1.0)  # every obligation but the four probes holds


def test_weights_change_the_score():
    seen = evidence({P: 1, I: 1}, {P: 1})
    heavy = load_reward("rewards/obligation.py", {"annotation_repair": dict.fromkeys([c.value for c in Category], 1.0)})
    assert heavy.score(seen).total == pytest.approx(0.5)


def test_binary():
    assert BINARY.score(evidence(TOTALS, TOTALS, status=Status.VERIFIED)).total == 1.0
    assert BINARY.score(evidence(TOTALS, TOTALS)).total == 0.0
    assert BINARY.score(evidence(TOTALS, TOTALS, status=Status.ERROR)).total is None
    cheated = evidence(TOTALS, TOTALS, status=Status.VERIFIED, findings=(finding(FindingKind.PROOF),))
    assert BINARY.score(cheated).total == 0.0


@pytest.mark.parametrize(
    ("file", "weights", "message"),
    [
        ("rewards/nothing.py", {}, "no file"),
        ("rewards/obligation.py", {"posconditions": 1}, "posconditions"),
        ("rewards/obligation.py", {"verified_bonus": "much"}, "verified_bonus"),
    ],
)
def test_bad_rewards_are_named(file: str, weights: dict[str, object], message: str):
    with pytest.raises(UserError, match=message):
        load_reward(file, weights)


OWN = """\
from pydantic import BaseModel
from verulaw_rl.evidence.reward import Score
class Weights(BaseModel):
    value: float | None = 0.5
    component: float = 0.0
    high: float = 1.0
def bounds(weights):
    return 0.0, weights.high
def reward(evidence, weights):
    return Score(weights.value, {"part": weights.component}, "partial")
"""


@pytest.fixture
def own(tmp_path: Path) -> str:
    (tmp_path / "own.py").write_text(OWN)
    return str(tmp_path / "own.py")


def test_a_reward_of_ones_own(own: str):
    assert load_reward(own).score(evidence(TOTALS, {})).total == 0.5
    assert load_reward(own, {"value": None}).score(evidence(TOTALS, {})).total is None
    assert load_reward(own, {"value": 1 + 1e-12}).score(evidence(TOTALS, {})).total == 1 + 1e-12


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ({"value": math.nan}, "finite"),
        ({"value": -math.inf}, "finite"),
        ({"component": math.nan}, "finite"),
        ({"value": 1.25}, "outside of its declared range 0.0 to 1.0"),
        ({"value": -0.25}, "outside of its declared range 0.0 to 1.0"),
    ],
)
def test_a_score_that_is_refused_names_its_candidate(own: str, weights: dict[str, float], says: str):
    with pytest.raises(UserError, match=says) as refused:
        load_reward(own, weights).score(evidence(TOTALS, {}))
    assert "instance 'suite/program:annotation_repair', candidate 111111111111" in str(refused.value)


def test_a_reward_that_fails_is_one_line(own: str):
    Path(own).write_text(OWN.replace("return Score", "1 / 0; return Score"))
    with pytest.raises(UserError, match="ZeroDivisionError"):
        load_reward(own).score(evidence(TOTALS, {}))


@pytest.mark.parametrize(("high", "says"), [(-1.0, "no range"), (math.nan, "no range")])
def test_a_declared_range_is_one(own: str, high: float, says: str):
    with pytest.raises(UserError, match=says):
        load_reward(own, {"high": high})


def test_shipped_rewards_declare_their_range():
    assert OBLIGATION.bounds == (-3.0, 3.0)
    assert BINARY.bounds == (0.0, 1.0)
    assert load_reward("rewards/obligation.py", {"verified_bonus": -4.0}).bounds == (-4.0, 1.0)


counts = st.fixed_dictionaries({c: st.integers(0, 5) for c in Category})


@st.composite
def any_evidence(draw: st.DrawFn) -> Evidence:
    totals = draw(counts)
    discharged = {c: draw(st.integers(0, n)) for c, n in totals.items()}
    failures = tuple(draw(st.lists(st.sampled_from(list(Category)), max_size=6)))
    return evidence(totals, discharged, failures=failures, task=draw(st.sampled_from(list(Task)[:2])))


@given(any_evidence())
def test_ratio_is_a_share_and_below_one_unless_all_holds(seen: Evidence):
    total = OBLIGATION.score(seen).total
    assert total is not None
    assert 0 <= total <= 1
    exercised = {c for c, n in seen.totals.items() if n}
    if exercised and any(not r.discharged for r in seen.results):
        assert total < 1


@given(any_evidence(), st.data())
def test_proving_more_never_lowers_the_score(seen: Evidence, data: st.DataObject):
    if not seen.results:
        return
    k = data.draw(st.integers(0, len(seen.results) - 1))
    results = list(seen.results)
    results[k] = (
        EVIDENCE.validate_python(evidence_to_row(seen))
        .results[k]
        .__class__(results[k].id, results[k].category, True, "", results[k].is_probe)
    )
    better = EVIDENCE.validate_python({**evidence_to_row(seen), "results": results})
    assert OBLIGATION.score(better).total >= OBLIGATION.score(seen).total


@given(any_evidence())
def test_evidence_survives_json(seen: Evidence):
    assert EVIDENCE.validate_json(EVIDENCE.dump_json(seen)) == seen
