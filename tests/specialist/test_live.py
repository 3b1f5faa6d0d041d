"""Specialists over live Dafny: the model-free one proves, adversaries gain nothing."""

import shutil
from collections.abc import Iterator

import pytest

from tests.specialist.test_assist import Answering
from verulaw_rl.config.episode import EpisodeConfig, RewardConfig
from verulaw_rl.config.specialist import HoudiniSpecialist
from verulaw_rl.config.verification import VerificationConfig
from verulaw_rl.episodes.episode import Episode
from verulaw_rl.episodes.services import Services, live_services
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.registry import get_language
from verulaw_rl.rollouts.engine import EpisodeTask, run_episodes
from verulaw_rl.rollouts.policy import Sampling
from verulaw_rl.specialist.assist import with_specialist
from verulaw_rl.specialist.baseline import HoudiniPolicy
from verulaw_rl.specialist.declared import services_with
from verulaw_rl.suites.bundled import bundled_suite
from verulaw_rl.suites.instance import Suite

pytestmark = [
    pytest.mark.tool,
    pytest.mark.skipif(shutil.which("dafny") is None, reason="no dafny; run scripts/setup.sh"),
]

MINIMUM = "seed/extrema/index_of_minimum"


@pytest.fixture(scope="module")
def services() -> Iterator[Services]:
    with live_services(VerificationConfig(cache=False, workers=1, solver_s=5), RewardConfig(), EpisodeConfig()) as live:
        yield live


def submitted(services: Services, program: str) -> Episode:
    instance = bundled_suite(Task.CODE_GENERATION).get(f"{MINIMUM}:code_generation")
    episode = Episode(instance, EpisodeConfig(turns=3), services.for_episode())
    episode.play(f"<submit>\n{program}</submit>")
    return episode


def test_houdini_completes_what_lacks_its_invariants(services: Services) -> None:
    reference = bundled_suite(Task.CODE_GENERATION).get(f"{MINIMUM}:code_generation").reference
    bare = get_language("dafny").strip_annotations(reference)
    plain = submitted(services, bare).summary()
    assert plain.reward is not None
    assert 0 < plain.reward < 1
    episode = submitted(services_with(services, HoudiniSpecialist()), bare)
    assert episode.end_reason == "verified"
    assert episode.summary().reward == 3.0
    assert episode.summary().direct_score == plain.reward
    # A postcondition less, an assumption more, other code: verified by Dafny, and worth nothing.
    proved = episode.turns[0].assisted_program
    assert proved is not None
    first = next(line for line in proved.split("\n") if line.strip().startswith("ensures"))
    for cheat in (
        proved.replace(first + "\n", "", 1),
        bare.replace("{\n", "{\n  assume false;\n", 1),
        proved.replace("m := i", "m := 0", 1) if "m := i" in proved else proved.replace(":= 0", ":= 1", 1),
    ):
        assert cheat != proved
        episode = submitted(with_specialist(services, Answering(cheat)), bare)
        assert (episode.turns[0].assisted, episode.summary().reward) == (None, plain.reward)


def test_the_baseline_plays_annotation_repair(services: Services) -> None:
    from verulaw_rl.episodes.registration import load_environment

    settings = EpisodeConfig(hand_in="insertions", actions=("submit",), turns=2)
    keys = [f"{MINIMUM}:annotation_repair", "seed/recursion_and_lemmas/ackermann:annotation_repair"]
    suite = Suite("two", tuple(map(bundled_suite(Task.ANNOTATION_REPAIR).get, keys)))
    environment = load_environment("envs/annotation_repair.py")
    batch = run_episodes(
        HoudiniPolicy(settings, services),
        lambda: environment(suite, split=None, settings=settings, services=services),
        [EpisodeTask(key) for key in keys],
        seed=0,
        sampling=Sampling(),
    )
    assert [r.record.verified for r in batch.results] == [True, False]
    assert batch.results[1].record.end_reason == "done", "no loop, so nothing to propose"
