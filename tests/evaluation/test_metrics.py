from collections.abc import Callable

import pytest

from verulaw_rl.episodes.record import EpisodeRecord
from verulaw_rl.evaluation.metrics import number, percent, summarise, values
from verulaw_rl.evaluation.outcome import Outcome, outcome_of
from verulaw_rl.evaluation.statistics import Estimate, wilson
from verulaw_rl.suites.instance import Instance
from verulaw_rl.verification.verdict import ToolIdentity

pytestmark = pytest.mark.unit

Make = Callable[..., EpisodeRecord]


def test_outcome_counts_the_submissions(record: Make, instance: Callable[..., Instance]) -> None:
    outcome = outcome_of(record("a", "failed", "verified", probes=(1, 2)), {"a": instance("a", "search", 2)})
    assert outcome == Outcome(
        instance="a",
        family="search",
        difficulty=2,
        reward=3.0,
        verified=True,
        verified_and_probes=False,
        first_verified=False,
        specification_changed=False,
        proof_escape=False,
        timeout=False,
        turns=2,
        submissions=2,
        tool="dafny 2.3.0 (z3 4.8.5)",
    )


def test_first_submission_and_probes(record: Make) -> None:
    outcome = outcome_of(record("a", "verified", probes=(2, 2)))
    assert outcome.first_verified
    assert outcome.verified_and_probes


def test_gaming_is_seen_in_any_submission(record: Make) -> None:
    outcome = outcome_of(record("a", "specification", "proof", "verified"))
    assert outcome.specification_changed
    assert outcome.proof_escape
    assert outcome.verified


def test_timeouts_and_failures_of_the_machine_are_apart(record: Make) -> None:
    records = [record("a", "verified"), record("b", "timeout"), record("c", "error"), record("d", "failed")]
    summary = summarise([outcome_of(r) for r in records])
    assert summary.unscorable == 1
    assert summary.get("verified") == wilson(1, 3)
    assert summary.get("verified_in_time") == wilson(1, 2)
    assert summary.get("timeout") == wilson(1, 3)


def test_an_episode_without_submission_is_a_failure(record: Make) -> None:
    summary = summarise([outcome_of(record("a")), outcome_of(record("b", "verified"))])
    assert summary.get("verified") == wilson(1, 2)
    assert summary.get("reward").value == pytest.approx((-1.5 + 3.0) / 2)
    assert summary.get("submissions").value == 0.5


def test_several_samples_give_pass_at_k(record: Make) -> None:
    records = [record("a", "verified"), record("a", "failed"), record("b", "failed"), record("b", "failed")]
    summary = summarise([outcome_of(r) for r in records])
    assert summary.get("verified").value == 0.25
    assert summary.get("pass@2").value == 0.5  # a: 1 - C(1,2)/C(2,2) = 1; b: 0
    assert "pass@4" not in [m.name for m in summary.metrics]


def test_groups_and_tools(record: Make, instance: Callable[..., Instance]) -> None:
    instances = {key: instance(key, family, level) for key, family, level in (("a", "sums", 1), ("b", "search", 2))}
    other = ToolIdentity("dafny", "4.11.0", "z3 4.12.1")
    records = [record("a", "verified"), record("b", "failed", tool=other)]
    summary = summarise([outcome_of(r, instances) for r in records])
    assert summary.by_family == {"search": wilson(0, 1), "sums": wilson(1, 1)}
    assert summary.by_difficulty == {1: wilson(1, 1), 2: wilson(0, 1)}
    assert summary.tools == ("dafny 2.3.0 (z3 4.8.5)", "dafny 4.11.0 (z3 4.12.1)")
    assert summary.to_json()["metrics"]["verified"]["n"] == 2


def test_nothing_evaluated() -> None:
    summary = summarise([])
    assert summary.get("verified").value is None
    assert percent(summary.get("verified")) == "none"


def test_values_leave_out_what_cannot_be_scored(record: Make) -> None:
    outcomes = [outcome_of(r) for r in (record("a", "verified"), record("b", "error"))]
    assert values(outcomes, "verified") == {"a": [1.0]}


def test_estimates_in_words() -> None:
    assert percent(wilson(8, 10)) == "80.0% (49.0 to 94.3, n = 10)"
    assert number(Estimate(1.5, 1.25, 1.75, 12)) == "1.50 (1.25 to 1.75, n = 12)"
    assert number(Estimate(1.5, None, None, 1)) == "1.50 (n = 1)"
