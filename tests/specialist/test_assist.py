"""A specialist can only help: a submission is worth what it is worth by itself, or honestly more."""

import random
import threading
import time
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from tests.episodes.factory import GIVEN, REFERENCE, Script, make_instance
from verulaw_rl.config.episode import EpisodeConfig, EpisodeTerms
from verulaw_rl.config.specialist import HoudiniSpecialist, ModelSpecialist, SpecialistConfig
from verulaw_rl.episodes.episode import Episode
from verulaw_rl.episodes.record import Turn, rescore
from verulaw_rl.episodes.registration import load_environment
from verulaw_rl.episodes.services import Services
from verulaw_rl.errors import UserError
from verulaw_rl.evidence.reward import load_reward
from verulaw_rl.languages.base import Task
from verulaw_rl.specialist.assist import with_specialist
from verulaw_rl.specialist.rewrite import rewrite_fault
from verulaw_rl.suites.instance import Instance, Suite

pytestmark = pytest.mark.unit

SPECIFICATION = "method Count(n: nat) returns (i: nat)\n  ensures i == n\n"
INSTANCE = replace(make_instance("hand/Count/code_generation", Task.CODE_GENERATION), given=SPECIFICATION, probes=())
DIRECT = pytest.approx(0.375)
"""Of the body without its invariant: 0.2 of safety and 0.1 of termination, without the postcondition's 0.5."""


@dataclass
class Answering:
    """A specialist with one answer to everything."""

    answer: Any
    name: str = "answering"
    version: str = "1"
    timeout_s: float = 60.0
    asked: int = 0

    def complete(self, instance: Instance, candidate: str, verify: Any) -> Any:
        self.asked += 1
        return self.answer(candidate) if callable(self.answer) else self.answer


def services_of(specialist: Any) -> Services:
    script = Script()
    plain = Services(script.collect, script.audit, script.execute, load_reward("rewards/obligation.py"))
    return with_specialist(plain, specialist)


def submit(
    specialist: Any, program: str = GIVEN, kind: str = "submit", script: Script | None = None
) -> tuple[Turn, Episode]:
    settings = EpisodeConfig(actions=("verify", "assist", "submit"), turns=3)
    episode = Episode(INSTANCE, settings, services_of(specialist).for_episode())
    return episode.play(f"<{kind}>\n{program}</{kind}>"), episode


def test_what_it_completes_counts() -> None:
    turn, episode = submit(Answering(REFERENCE))
    assert turn.score is not None
    assert turn.score.total == DIRECT
    assert turn.assisted is not None
    assert turn.assisted.total == 3.0
    assert episode.end_reason == "verified"
    assert (episode.summary().reward, episode.summary().direct_score, episode.summary().assisted_score) == (
        3.0,
        DIRECT,
        3.0,
    )
    assert "invariant i <= n" in turn.observation
    assert "It scores 3.000" in turn.observation


def hangs(candidate: str) -> str:
    time.sleep(120)
    return REFERENCE


def fails(candidate: str) -> str:
    raise RuntimeError("no memory is left")


@pytest.mark.parametrize(
    ("answer", "note"),
    [
        (REFERENCE.replace("  ensures i == n\n", ""), "it changes more than annotations (clause_removed)"),
        (REFERENCE.replace("i == n", "true"), "it changes more than annotations"),
        (REFERENCE.replace("ensures", "requires n == 0\n  ensures"), "it changes more than annotations"),
        (REFERENCE.replace("i := i + 1", "i := n"), "it changes more than annotations"),
        (REFERENCE.replace("i := i + 1;", "i := i + 1; assume i == n;"), "it changes more than annotations (assume)"),
        (REFERENCE.replace("Count", "Other"), "it changes more than annotations"),
        ("", "it has no answer"),
        (None, "it has no answer"),
        (17, "it has no answer"),
        ("}{ I am a proof", "it"),
        ("\ud800", "it"),
        (GIVEN, "left as it is"),
        (fails, "it failed"),
    ],
)  # fmt: skip
def test_adversaries_change_nothing(answer: Any, note: str) -> None:
    turn, episode = submit(Answering(answer))
    assert turn.assisted is None
    assert turn.assist_note.startswith(note.split(" (")[0])
    assert turn.score is not None
    assert turn.score.total == DIRECT
    assert episode.end_reason is None
    assert episode.summary().reward == DIRECT


def test_one_that_hangs_costs_its_time_and_no_more() -> None:
    started = time.monotonic()
    turn, episode = submit(Answering(hangs, timeout_s=0.2))
    assert time.monotonic() - started < 60
    assert (turn.assisted, turn.assist_note, episode.summary().reward) == (None, "it took too long", DIRECT)
    assert all(t.daemon for t in threading.enumerate() if t.name == "specialist"), "a run ends in spite of it"


def test_a_worse_completion_does_not_lower_the_score() -> None:
    # It drops what the candidate had: the candidate verifies by itself and is not even shown to it.
    specialist = Answering(GIVEN)
    turn, episode = submit(specialist, REFERENCE)
    assert (specialist.asked, turn.assisted, episode.summary().reward) == (0, None, 3.0)


@pytest.mark.parametrize(
    ("program", "score"),
    [(GIVEN.replace("  ensures i == n\n", ""), -1.0), (GIVEN.replace("i := 0;", "i := 0; assume false;"), -3.0)],
)
def test_it_cannot_launder_a_cheat(program: str, score: float) -> None:
    specialist = Answering(REFERENCE)
    turn, episode = submit(specialist, program)
    assert (specialist.asked, turn.assisted) == (0, None)
    assert episode.summary().reward == score


def test_it_is_not_asked_where_the_tool_failed() -> None:
    specialist = Answering(REFERENCE)
    _, episode = submit(specialist, GIVEN + "// crash_machine\n")
    assert (specialist.asked, episode.summary().reward) == (0, None)


def test_assist_shows_and_does_not_score() -> None:
    turn, episode = submit(Answering(REFERENCE), kind="assist")
    assert turn.score is turn.assisted is None
    assert turn.assisted_program == REFERENCE
    assert "The proof specialist's version: Verified" in turn.observation
    assert REFERENCE.strip() in turn.observation
    assert episode.summary().reward == -1.5
    turn, _ = submit(Answering(None), kind="assist")
    assert "The proof specialist adds nothing: it has no answer." in turn.observation
    assert "1 unmet obligation" in turn.observation


def test_records_are_scored_again_with_what_it_made() -> None:
    environment = load_environment("envs/code_generation.py")
    env = environment(Suite("hand", (INSTANCE,)), services=services_of(Answering(REFERENCE)))
    env.reset(seed=0)
    env.step(f"<submit>\n{GIVEN}</submit>")
    record = env.record()
    assert record.verified
    again = rescore(record, load_reward("rewards/obligation.py", {"verified_bonus": 5.0}), EpisodeTerms())
    assert (again.reward, again.direct_score, again.assisted_score) == (6.0, DIRECT, 6.0)


def test_it_is_for_code_generation_only() -> None:
    repair = Suite("hand", (make_instance(),))
    with pytest.raises(UserError, match="specialist"):
        load_environment("envs/annotation_repair.py")(
            repair, settings=EpisodeConfig(actions=("assist", "submit")), services=services_of(Answering(REFERENCE))
        )
    specialist = Answering(REFERENCE)
    env = load_environment("envs/annotation_repair.py")(repair, services=services_of(specialist))
    env.reset(seed=0)
    env.step(f"<submit>\n{GIVEN}</submit>")
    assert specialist.asked == 0


@settings(max_examples=60, deadline=None)
@given(st.integers(min_value=0, max_value=2**32))
def test_any_edit_of_a_proof_pays_only_when_it_changes_nothing_but_the_proof(seed: int) -> None:
    rng = random.Random(seed)
    lines = REFERENCE.split("\n")
    for _ in range(rng.randrange(1, 4)):
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(3):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, lines[other])
            case _:
                lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]
        lines = lines or [""]
    answer = "\n".join(lines)
    _, episode = submit(Answering(answer))
    reward = episode.summary().reward
    assert reward is not None
    assert reward >= 0.375
    if reward != DIRECT:
        assert rewrite_fault("dafny", GIVEN, answer) is None
        assert [line for line in lines if line.strip() and "invariant" not in line] == [
            line for line in GIVEN.split("\n") if line.strip()
        ]


def test_a_section_that_names_no_kind_is_the_model_free_one() -> None:
    kinds = TypeAdapter(SpecialistConfig)
    assert kinds.validate_python({}) == HoudiniSpecialist()
    assert kinds.validate_python({"max_calls": 3}) == HoudiniSpecialist(max_calls=3)
    assert kinds.validate_python({"type": "model", "path": "m"}) == ModelSpecialist(path="m")
    with pytest.raises(ValidationError, match="path"):
        kinds.validate_python({"path": "m"})
