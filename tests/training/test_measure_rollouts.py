"""The measurement of rollouts measures the same work in both loops, and its arithmetic is right."""

import pytest

from tests.rollouts.factory import hand_suite
from verulaw_rl.episodes.registration import load_environment
from verulaw_rl.training import measure_rollouts as measure
from verulaw_rl.training.measure_rollouts import Overlap

pytestmark = pytest.mark.train

ENVIRONMENT = load_environment("envs/annotation_repair.py")


def test_overlap_is_against_the_larger_part() -> None:
    assert Overlap(wall_s=10, generation_s=8, verification_s=5, engine_s=0.1, candidates=4).ratio == 1.25
    assert Overlap(wall_s=10, generation_s=5, verification_s=8, engine_s=0.1, candidates=4).ratio == 1.25


def test_both_loops_ask_for_every_turn_of_every_episode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "TURN_TOKENS", 4)
    asked: list[str] = []

    def recorded(instance, program):
        asked.append(program)
        return scripted.collect(instance, program)

    scripted = measure.scripted_services(0.02, 4)
    services = measure.replace(scripted, collect=recorded)
    ours = measure.our_loop(hand_suite(8), ENVIRONMENT, services, 4)
    assert ours.candidates == len(asked) == len(set(asked)) == measure.EPISODES * measure.TURNS
    # Each call takes 0.02 s, of 4 workers.
    assert ours.verification_s == pytest.approx(measure.EPISODES * measure.TURNS * 0.02 / 4)
    assert ours.wall_s >= ours.generation_s + ours.engine_s
    asked.clear()
    trl_s = measure.trl_loop(hand_suite(8), ENVIRONMENT, services)
    assert len(asked) == len(set(asked)) == measure.EPISODES * measure.TURNS
    assert trl_s > len(asked) * 0.02, "one call after another"


@pytest.mark.unit
def test_turns_of_scripted_episodes_are_counted() -> None:
    assert measure.turns_per_second(hand_suite(8), ENVIRONMENT, turns=2) > 100
