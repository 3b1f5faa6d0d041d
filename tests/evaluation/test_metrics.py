from collections.abc import Callable
from dataclasses import replace

import pytest

from verulaw_rl.episodes.action import InvalidAction
from verulaw_rl.episodes.record import EpisodeRecord
from verulaw_rl.evaluation.metrics import number, percent, summarise, values
from verulaw_rl.evaluation.outcome import Outcome, outcome_of
from verulaw_rl.evaluation.statistics import Estimate, wilson
from verulaw_rl.evidence.reward import Score
from verulaw_rl.suites.instance import Instance
from verulaw_rl.verification.verdict import ToolIdentity

pytestmark = pytest.mark.unit

Make = Callable[..., EpisodeRecord]


def test_outcome_counts_the_submissions(record: Make, instance: Callable[..., Instance]) -> None:
    outcome = outcome_of(record("a", "failed", "verified", probes=(1, 2)), {"a": instance("a", "search", 2)})
    assert outcome == Outcome(
        instance="a",
        program="seed/a",
        family="search",
        difficulty=2,
        reward=3.0,
        verified=True,
        direct=True,
        verified_and_probes=False,
        first_verified=False,
        specification_changed=False,
        proof_escape=False,
        timeout=False,
        turns=2,
        submissions=2,
        tool="dafny 2.3.0 (z3 4.8.5)",
        end_reason="verified",
        revisions=1,
        obligations={"postcondition": 1.0, "invariant": 0.5},
        findings=((), ()),
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


def test_statistics_of_episodes(record: Make) -> None:
    records = [
        record("a", "verified"),  # at once
        record("b", "failed", "verified"),  # TRIED, then PROVED: retried, revised, recovered
        record("c", "failed", "failed"),  # the same program twice: retried only
        record("d", "failed"),  # settled for it
        record("e"),  # nothing submitted
        record("f", "error"),  # unscorable
    ]
    summary = summarise([outcome_of(r) for r in records])
    assert summary.get("first_submission") == wilson(1, 5)
    assert summary.get("retry") == wilson(2, 3)
    assert summary.get("revision") == wilson(1, 3)
    assert summary.get("recovery") == wilson(1, 3)
    assert summary.get("no_submission") == wilson(1, 5)
    assert summary.get("verified_strict") == wilson(2, 6)
    assert summary.get("submissions_to_verify").value == 1.5
    assert summary.end_reasons == {"turn_budget": 4, "verified": 2}
    assert (summary.episodes, summary.submissions, summary.unscorable) == (6, 7, 1)


def test_direct_and_assisted_are_apart(record: Make) -> None:
    helped = record("a", "failed")
    helped = replace(helped, turns=(replace(helped.turns[0], assisted=Score(3.0, {}, "verified")),))
    summary = summarise([outcome_of(r) for r in (helped, record("b", "verified"), record("c", "failed"))])
    assert summary.get("verified") == wilson(2, 3)
    assert summary.get("verified_direct") == wilson(1, 3)
    assert summary.get("verified_assisted") == wilson(1, 3)


def test_audit_failures_by_kind(record: Make) -> None:
    records = [record("a", "specification", "specification", "proof"), record("b", "specification"), record("c")]
    failures = summarise([outcome_of(r) for r in records]).audit_failures
    assert [(f.construct, f.submissions, f.episodes) for f in failures] == [
        ("specification: clause_changed", 3, 2),
        ("proof: assume", 1, 1),
    ]


def test_obligations_by_category_and_ratio(record: Make) -> None:
    records = [record("a", "verified", probes=(2, 2)), record("b", "failed", probes=(1, 2)), record("c", "proof")]
    records[0] = with_ratio(records[0], 1.0)
    records[1] = with_ratio(records[1], 0.25)
    summary = summarise([outcome_of(r) for r in records])
    assert summary.by_category["invariant"].value == pytest.approx(1.5 / 2)
    assert summary.by_category["postcondition"].value == pytest.approx(1 / 3)
    assert summary.get("obligation_ratio").value == pytest.approx(1.25 / 3)  # what the audit rejects counts 0


def with_ratio(record: EpisodeRecord, ratio: float) -> EpisodeRecord:
    turn = record.turns[0]
    assert turn.score is not None
    return replace(record, turns=(replace(turn, score=replace(turn.score, components={"obligation_ratio": ratio})),))


def test_invalid_turns_are_a_share_of_the_turns(record: Make) -> None:
    turns = record("a").turns
    muddled = replace(turns[0], invalid=InvalidAction("no_action", "say one"))
    records = [replace(record("a"), turns=(muddled, *turns, *turns)), record("b")]
    assert summarise([outcome_of(r) for r in records]).get("invalid_turns").value == 0.25


def test_instances_of_one_program_are_one_cluster(record: Make, instance: Callable[..., Instance]) -> None:
    instances = {key: replace(instance(key), program="p") for key in "ab"} | {"c": instance("c")}
    outcomes = [outcome_of(record(k, "verified"), instances) for k in "ab"] + [outcome_of(record("c"), instances)]
    verified = summarise(outcomes).get("verified")
    assert (verified.value, verified.n) == (pytest.approx(2 / 3), 2)


def test_several_samples_give_pass_at_k(record: Make) -> None:
    records = [record("a", "verified"), record("a", "failed"), record("b", "failed"), record("b", "failed")]
    summary = summarise([outcome_of(r) for r in records])
    assert summary.get("verified").value == 0.25
    assert summary.get("pass@2") == wilson(1, 2)  # a: 1 - C(1,2)/C(2,2) = 1; b: 0
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
