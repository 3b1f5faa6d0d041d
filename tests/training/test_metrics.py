"""Figures of an update's episodes, against counts by hand."""

from dataclasses import replace

import pytest

from tests.rollouts.factory import RIGHT, env_maker, hand_suite, scripted_services
from verulaw_rl.rollouts.engine import EpisodeResult, EpisodeTask, RolloutBatch
from verulaw_rl.training.metrics import episode_metrics
from verulaw_rl.training.watch import Watch

pytestmark = pytest.mark.train


def batch(**rewards: list[float | None]) -> RolloutBatch:
    """One episode per reward, in groups by instance."""
    env = env_maker(hand_suite(1), scripted_services())()
    env.reset(options={"instance": "hand/Count0/annotation_repair"})
    env.step(RIGHT)
    record = env.record()
    results = [
        EpisodeResult(EpisodeTask(instance, sample), replace(record, reward=reward))
        for instance, group in rewards.items()
        for sample, reward in enumerate(group)
    ]
    return RolloutBatch(tuple(results), sampling_s=1.0, wait_s=2.0, engine_s=0.5)


def test_groups_without_a_difference_have_no_signal():
    row = episode_metrics(batch(a=[0.3, 0.3, 0.3], b=[0.3, 3.0, 0.3], c=[3.0, None, 3.0], d=[None, None, 0.3]))
    assert row["groups_without_signal"] == 3 / 4
    assert row["unscorable"] == 3 / 12
    assert row["reward"] == pytest.approx((3 * 0.3 + 3.6 + 6.0 + 0.3) / 9)


def test_each_finding_has_its_rate():
    env = env_maker(hand_suite(1), scripted_services())()
    records = []
    for program in (RIGHT, RIGHT.replace("i <= n", "(assume i <= n; true)")):
        env.reset(options={"instance": "hand/Count0/annotation_repair"})
        env.step(program)
        records.append(env.record())
    results = tuple(EpisodeResult(EpisodeTask("a", n), r) for n, r in enumerate(records))
    row = episode_metrics(RolloutBatch(results, sampling_s=1.0, wait_s=2.0, engine_s=0.5))
    assert row["finding/proof: assume"] == 0.5
    assert row["proof_escape"] == 0.5
    assert row["assisted_lost"] == 0.0


def test_the_watch_says_its_alarm_once_and_marks_every_row():
    def row(update: int, verified: float) -> dict:
        return {"update": update, "episodes": 64, "unscorable": 0.0, "verified": verified, "verified_and_probes": 0.0}

    watch = Watch([{"warm_start/loss": 3.0}])
    rates = [0.0] * 15 + [0.9] * 15 + [0.0] * 20
    said = [watch.add(row(n, rate)) for n, rate in enumerate(rates)]
    ringing = [marked["alarm"] for marked, _ in said]
    news = [alarm for _, alarm in said if alarm is not None]
    assert len(news) == 1
    assert not any(ringing[:19])
    assert ringing[24]
    assert not ringing[-1]
    again = Watch([marked for marked, _ in said[:25]])
    assert again.add(row(25, 0.9))[1] is None
