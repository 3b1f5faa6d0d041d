"""Episodes by the rules, against a scripted verifier."""

import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from tests.episodes.factory import GIVEN, REFERENCE
from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.episodes.env import ProofEnv
from verulaw_rl.episodes.registration import load_environment
from verulaw_rl.episodes.services import Services
from verulaw_rl.suites.instance import Suite

pytestmark = pytest.mark.unit
COMPACT = EpisodeConfig(prompt="compact", turns=4)


def submit(program: str) -> str:
    return f"<submit>\n{program}</submit>"


@pytest.fixture
def env(suite: Suite, services: Services) -> ProofEnv:
    return load_environment("envs/annotation_repair.py")(suite, settings=COMPACT, services=services)


def play(env: ProofEnv, *texts: str) -> tuple[list[str], float, bool, dict]:
    env.reset(seed=0)
    observations, total, ended, info = [], 0.0, False, {}
    for text in texts:
        observation, reward, ended, _, info = env.step(text)
        observations.append(observation)
        total += reward
    return observations, total, ended, info


def test_the_checker_of_gymnasium_passes(env: ProofEnv) -> None:
    check_env(env, skip_render_check=True)


def test_a_verified_submission_ends_the_episode(env: ProofEnv) -> None:
    _, total, ended, info = play(env, submit(GIVEN), submit(REFERENCE))
    assert ended
    assert info["end_reason"] == "verified"
    assert total == pytest.approx(3.0)
    assert info["episode_reward"] == pytest.approx(3.0)
    with pytest.raises(ResetNeeded, match="verified"):
        env.step("<done/>")
