"""Episodes by the rules, against a scripted verifier."""

from dataclasses import replace

import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from tests.episodes.factory import GIVEN, REFERENCE, Script, make_instance
from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.episodes.env import ProofEnv
from verulaw_rl.episodes.registration import load_environment
from verulaw_rl.episodes.services import Services
from verulaw_rl.errors import UserError
from verulaw_rl.languages.base import Task
from verulaw_rl.suites.instance import Suite

pytestmark = pytest.mark.unit
COMPACT = EpisodeConfig(prompt="compact", turns=6)
WRONG = GIVEN.replace("while i < n\n", "while i < n\n    invariant i == n\n")
CHEAT = GIVEN.replace("  i := 0;\n", "  i := 0; assume false;\n")
WEAK = GIVEN.replace("  ensures i == n\n", "")
CRASH = GIVEN + "// crash_machine\n"
PARTIAL = (0.25 * 0 + 0.4 * 0 + 0.1 + 0.1) / (0.25 + 0.4 + 0.1 + 0.1)
"""Postcondition and the invariant probe unmet, safety and termination met, no assertion; design's weights."""
SHOWN = (0.1 + 0.1) / (0.25 + 0.1 + 0.1)
"""The same without the probe."""


def submit(program: str) -> str:
    return f"<submit>\n{program}</submit>"


def make_env(suite: Suite, services: Services, **changes: object) -> ProofEnv:
    settings = COMPACT.model_copy(update=changes)
    return load_environment("envs/annotation_repair.py")(suite, settings=settings, services=services)


def play(env: ProofEnv, *texts: str) -> tuple[list[str], float, dict]:
    """Observations, sum of the rewards, last info; a text ``TRUNCATE`` cuts the episode off."""
    env.reset(seed=0)
    observations, total, info = [], 0.0, {}
    for text in texts:
        if text == "TRUNCATE":
            total += env.truncate()
            continue
        observation, reward, terminated, truncated, info = env.step(text)
        assert not truncated
        assert terminated == (info["end_reason"] is not None)
        observations.append(observation)
        total += reward
    return observations, total, info


def test_the_checker_of_gymnasium_passes(suite: Suite, services: Services) -> None:
    check_env(make_env(suite, services), skip_render_check=True)


@pytest.mark.parametrize(
    ("texts", "end", "reward"),
    [
        ([submit(REFERENCE)], "verified", 3.0),
        ([submit(GIVEN), submit(REFERENCE)], "verified", 3.0),
        ([submit(GIVEN), submit(GIVEN), submit(REFERENCE)], "verified", 2.75),
        ([submit(GIVEN), submit(WRONG), submit(GIVEN), "<done/>"], "done", PARTIAL - 0.25),
        ([submit(GIVEN), "what now?", "<done/>"], "done", PARTIAL - 0.25),
        ([submit(CHEAT), "<done/>"], "done", -3.0),
        ([submit(CHEAT), submit(WEAK), "<done/>"], "done", -1.0),
        ([submit(CHEAT), submit(GIVEN), "<done/>"], "done", PARTIAL),
        (["<done/>"], "done", -1.5),
        ([f"<verify>{REFERENCE}</verify>", "<done/>"], "done", -1.5),
        ([""] * 6, "turn_budget", -2.5),
        ([f"<verify>{REFERENCE}</verify>"] * 6, "turn_budget", -1.5),
        (["", "TRUNCATE"], "context_full", -1.75),
        ([submit(GIVEN), "TRUNCATE"], "context_full", PARTIAL),
        ([submit(CRASH), "<done/>"], "done", None),
        ([submit(CRASH), "", submit(CRASH), "<done/>"], "done", None),
        ([submit(CRASH), submit(GIVEN), "<done/>"], "done", PARTIAL),
    ],
)
def test_reward_and_end_of_an_episode(
    suite: Suite, services: Services, texts: list[str], end: str, reward: float | None
) -> None:
    env = make_env(suite, services)
    _, total, info = play(env, *texts)
    assert env.episode.end_reason == end
    assert env.episode_reward == (None if reward is None else pytest.approx(reward))
    if reward is not None:
        assert total == pytest.approx(reward)
    if texts[-1] != "TRUNCATE":
        assert info["episode_reward"] == env.episode_reward
    with pytest.raises(ResetNeeded, match=end):
        env.step("<done/>")
    with pytest.raises(ResetNeeded, match=end):
        env.truncate()


def test_the_verifier_is_asked_once_per_program(suite: Suite, services: Services, script: Script) -> None:
    play(make_env(suite, services), f"<verify>{GIVEN}</verify>", submit(GIVEN), submit(f"\n{GIVEN}\n"), submit(WRONG))
    assert script.collected == [GIVEN, WRONG]


def test_what_no_verifier_could_be_run_for_is_tried_again_at_no_cost(
    suite: Suite, services: Services, script: Script
) -> None:
    env = make_env(suite, services)
    play(env, submit(CRASH), submit(CRASH))
    assert script.collected == [CRASH, CRASH]
    assert not env.episode.turns[1].unchanged


def test_insertions_are_applied_to_the_given(suite: Suite, services: Services, script: Script) -> None:
    env = make_env(suite, services, hand_in="insertions")
    _, total, info = play(env, "<submit>\n@5\n    invariant i <= n\n</submit>")
    assert info["end_reason"] == "verified"
    assert script.collected == [REFERENCE.replace("  while i < n\n    inv", "  while i < n\n    inv")]
    assert total == pytest.approx(3.0)
    assert env.episode.turns[0].program == REFERENCE


def test_an_insertion_outside_of_the_given_is_invalid(suite: Suite, services: Services) -> None:
    env = make_env(suite, services, hand_in="insertions", prompt="full", actions=("submit",))
    env.system_prompt = "."  # type: ignore[misc]
    observations, total, info = play(env, "<submit>\n@99\n    invariant i <= n\n</submit>")
    assert info["invalid"] == "bad_insertions"
    assert total == -0.25
    assert "99" in observations[0]
    assert "<submit>\n@7\n" in observations[0]


def test_tool_calls_and_their_answers(suite: Suite, services: Services) -> None:
    env = make_env(suite, services, wire_format="tools")
    _, _, info = play(env, '<tool_call>{"name": "audit", "arguments": {"program": "x"}}</tool_call>')
    assert info["action"] == "audit"
    assert [m["role"] for m in info["messages"]] == ["user", "assistant", "tool"]
    assert env.tools is not None
    assert [t["function"]["name"] for t in env.tools] == ["verify", "run", "audit", "submit", "done"]
    assert make_env(suite, services).tools is None


def test_instances_are_drawn_by_seed_or_named(suite: Suite, services: Services) -> None:
    env = make_env(suite, services)
    drawn = {env.reset(seed=seed)[1]["instance"] for seed in range(20)}
    assert drawn == {i.key for i in suite.instances}
    assert env.reset(seed=3)[1] == env.reset(seed=3)[1]
    key = suite.instances[2].key
    assert env.reset(options={"instance": key})[1]["instance"] == key
    with pytest.raises(UserError, match="no instance 'nowhere'"):
        env.reset(options={"instance": "nowhere"})


def test_two_environments_see_the_same(suite: Suite, services: Services) -> None:
    texts = [submit(WRONG), f"<verify>{CHEAT}</verify>", f"<run>{GIVEN}<calls>print 1;</calls></run>", "", submit(WEAK)]
    for changes in ({"prompt": "compact"}, {"prompt": "full"}):
        runs = []
        for _ in range(2):
            env = make_env(suite, services, **changes)
            env.system_prompt = "."  # type: ignore[misc]
            runs.append(play(env, *texts))
        assert runs[0] == runs[1]


def test_only_instances_of_the_task_are_played(suite: Suite, services: Services) -> None:
    other = make_instance("hand/Count/code_generation", Task.CODE_GENERATION)
    env = make_env(Suite("hand", (*suite.instances, other)), services)
    assert other not in env.suite.instances
    with pytest.raises(UserError, match="no instance of the task annotation_repair"):
        make_env(Suite("hand", (other,)), services)


def test_settings_that_do_not_go_together_are_refused(suite: Suite, services: Services) -> None:
    with pytest.raises(UserError, match="actions: without submit"):
        make_env(suite, services, actions=("verify",))
    with pytest.raises(UserError, match="specialist"):
        make_env(suite, services, actions=("assist", "submit"))
    generation = Suite("hand", tuple(replace(i, task=Task.CODE_GENERATION) for i in suite.instances))
    with pytest.raises(UserError, match="insertions is for annotation_repair only"):
        load_environment("envs/code_generation.py")(
            generation, settings=EpisodeConfig(hand_in="insertions"), services=services
        )
    with pytest.raises(UserError, match="no instance in the split 'heldout'; its splits: train"):
        load_environment("envs/annotation_repair.py")(suite, split="heldout", services=services)


def test_nothing_before_reset(suite: Suite, services: Services) -> None:
    with pytest.raises(ResetNeeded):
        make_env(suite, services).step("<done/>")


def test_a_prompt_that_cannot_be_filled_in_names_its_file(suite: Suite, services: Services) -> None:
    env = make_env(suite, services, prompt="full")
    env.system_prompt = "."  # type: ignore[misc]
    env.user_prompt = "{programm}"  # type: ignore[misc]
    with pytest.raises(UserError, match=r"annotation_repair\.py .*programm"):
        env.reset(seed=0)
