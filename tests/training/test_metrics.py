"""Figures of an update's episodes, against counts by hand."""

from dataclasses import replace

import pytest

from tests.rollouts.factory import RIGHT, env_maker, hand_suite, scripted_services
from verulaw_rl.rollouts.engine import EpisodeResult, EpisodeTask, RolloutBatch
from verulaw_rl.training.metrics import episode_metrics

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
    return RolloutBatch(tuple(results), sampling_s=1.0, wait_s=2.0)


def test_groups_without_a_difference_have_no_signal():
    row = episode_metrics(batch(a=[0.3, 0.3, 0.3], b=[0.3, 3.0, 0.3], c=[3.0, None, 3.0], d=[None, None, 0.3]))
    assert row["groups_without_signal"] == 3 / 4
    assert row["unscorable"] == 3 / 12
    assert row["reward"] == pytest.approx((3 * 0.3 + 3.6 + 6.0 + 0.3) / 9)
