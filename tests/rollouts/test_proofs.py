import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.episodes.factory import GIVEN, REFERENCE, make_instance
from tests.rollouts.factory import RIGHT, SETTINGS
from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.episodes.actions import parse
from verulaw_rl.languages.insertions import Insertion, apply_insertions
from verulaw_rl.rollouts.proofs import insertions_between, proof_turn
from verulaw_rl.rollouts.scripted import SCRIPTED_POLICIES, RandomEditPolicy

pytestmark = pytest.mark.unit

LINES = st.lists(st.sampled_from(["  a := 1;", "{", "}", "", "  while i < n", "    invariant i <= n"]), max_size=8)


def without_blanks(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n") if line.strip()]


def test_the_reference_as_a_turn() -> None:
    assert proof_turn(GIVEN, REFERENCE, SETTINGS) == RIGHT
    assert proof_turn(GIVEN, REFERENCE, EpisodeConfig()) == f"<submit>\n{REFERENCE}</submit>"


@given(LINES, st.lists(st.tuples(st.integers(0, 8), LINES), max_size=4))
def test_insertions_give_the_program_back(lines: list[str], inserted: list[tuple[int, list[str]]]) -> None:
    start = "\n".join(lines) + "\n"
    last = start.count("\n")
    program = apply_insertions(start, [Insertion(min(n, last), "\n".join(text)) for n, text in inserted])
    found = insertions_between(start, program)
    assert found is not None
    assert without_blanks(apply_insertions(start, found)) == without_blanks(program)


def test_a_changed_line_is_no_insertion() -> None:
    assert insertions_between(GIVEN, REFERENCE.replace("i := 0", "i := 1")) is None
    assert insertions_between(GIVEN, "") is None
    assert insertions_between(GIVEN, GIVEN) == ()


@pytest.mark.parametrize("settings", [SETTINGS, EpisodeConfig()], ids=["insertions", "full"])
def test_random_edits_are_valid_actions_and_fixed_by_their_seed(settings: EpisodeConfig) -> None:
    instance = make_instance()
    policy = RandomEditPolicy(settings)
    replies = [policy.reply(instance, [], seed) for seed in range(60)]
    assert replies == [policy.reply(instance, [], seed) for seed in range(60)]
    assert len(set(replies)) > 5
    parsed = [parse(r, settings.wire_format, settings.hand_in, settings.actions) for r in replies]
    assert sum(hasattr(p, "kind") for p in parsed) > 50


def test_scripted_policies_by_name() -> None:
    made = {name: policy(SETTINGS).name for name, policy in SCRIPTED_POLICIES.items()}
    assert made == {name: name for name in ("reference", "given", "null", "random", "insertions")}
