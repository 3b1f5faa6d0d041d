"""Building blocks of prompts: what is shown as an example must be read as one."""

import itertools

import pytest

from tests.episodes.factory import GIVEN, REFERENCE, make_instance
from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.episodes import prompts
from verulaw_rl.episodes.actions import Action, parse
from verulaw_rl.episodes.registration import load_environment
from verulaw_rl.episodes.services import Services
from verulaw_rl.episodes.space import AnyText
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.registry import get_language, language_names
from verulaw_rl.suites.instance import Suite

pytestmark = pytest.mark.unit
SETTINGS = [
    EpisodeConfig(wire_format=w, hand_in=h) for w, h in itertools.product(["tags", "tools"], ["full", "insertions"])
]


@pytest.mark.parametrize("language", language_names())
@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: f"{s.wire_format}-{s.hand_in}")
def test_every_example_is_read(settings: EpisodeConfig, language: str) -> None:
    shown = get_language(language).illustration
    for kind in (*settings.actions, "done"):
        written = prompts.example(kind, settings, shown)
        action = parse(written, settings.wire_format, settings.hand_in, settings.actions)
        assert isinstance(action, Action)
        assert action.kind == kind
        if settings.hand_in == "insertions" and kind in ("submit", "verify"):
            assert action.insertions == shown.insertions


@pytest.mark.parametrize(
    ("task", "settings"),
    [(Task.ANNOTATION_REPAIR, s) for s in SETTINGS]
    + [(Task.CODE_GENERATION, s) for s in SETTINGS if s.hand_in == "full"],
    ids=str,
)
def test_a_prompt_says_the_task_the_rules_and_the_actions(
    settings: EpisodeConfig, task: Task, services: Services
) -> None:
    suite = Suite("hand", (make_instance(f"hand/Count/{task}", task),))
    env = load_environment(f"envs/{task}.py")(suite, settings=settings, services=services)
    user, info = env.reset(seed=0)
    system = info["messages"][0]["content"]
    assert "Dafny" in system
    assert "20 turns" in system
    assert all(kind in system for kind in (*settings.actions, "done"))
    assert "{" + "rules}" not in system
    shown = prompts.numbered(GIVEN) if settings.hand_in == "insertions" else GIVEN.rstrip("\n")
    assert user.endswith(f"```dafny\n{shown}\n```")
    for text in (system, user):
        assert "probe" not in text
        assert REFERENCE not in text


def test_a_compact_prompt_is_the_numbered_program_alone(suite: Suite, services: Services) -> None:
    env = load_environment("envs/annotation_repair.py")(
        suite, settings=EpisodeConfig(prompt="compact"), services=services
    )
    user, info = env.reset(seed=0)
    assert info["messages"] == [{"role": "user", "content": user}]
    assert user.startswith("1: method Count(n: nat) returns (i: nat)\n2:   ensures i == n\n3: {\n")
    assert user.endswith("\n9: }")


def test_a_fence_that_the_text_cannot_close() -> None:
    assert prompts.fenced("a\n```\nb\n", "dafny") == "````dafny\na\n```\nb\n````"


def test_the_space_of_texts() -> None:
    space = AnyText(5, seed=1)
    assert "∀x" in space
    assert "toolong" not in space
    assert 5 not in space
    assert space == AnyText(5)
    assert space != AnyText(6)
    assert all(space.sample() in space for _ in range(100))
    with pytest.raises(ValueError, match="mask"):
        space.sample(mask=1)
