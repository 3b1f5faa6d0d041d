"""The reward of an episode: the design's table by hand, and its properties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verulaw_rl.config.episode import EpisodeTerms
from verulaw_rl.episodes.value import episode_value, value_so_far

pytestmark = pytest.mark.unit
TERMS = EpisodeTerms()
SCORES = st.lists(st.none() | st.floats(-3, 3), max_size=6)
WASTED = st.integers(0, 20)


@pytest.mark.parametrize(
    ("scores", "wasted", "expected"),
    [
        ([3.0], 0, 3.0),
        ([0.25, -1.0, 0.5], 0, 0.5),
        ([], 0, -1.5),
        ([], 3, -2.25),
        ([], 20, -2.5),
        ([3.0], 1, 2.75),
        ([0.5], 4, -0.5),
        ([0.5], 5, -0.5),
        ([-3.0], 0, -3.0),
        ([None, 0.5], 0, 0.5),
        ([None, None], 2, None),
    ],
)
def test_the_table_of_the_design(scores: list[float | None], wasted: int, expected: float | None) -> None:
    assert episode_value(scores, wasted, TERMS) == expected


@given(SCORES, WASTED)
def test_bounds(scores: list[float | None], wasted: int) -> None:
    value = episode_value(scores, wasted, TERMS)
    scored = [s for s in scores if s is not None]
    assert (value is None) == (bool(scores) and not scored)
    if value is not None:
        best = max(scored, default=-1.5)
        assert best - 1.0 <= value <= best


@given(SCORES, WASTED, st.floats(-3, 3))
def test_another_scored_submission_never_lowers_it_below_what_was_there(
    scores: list[float | None], wasted: int, more: float
) -> None:
    before, after = episode_value(scores, wasted, TERMS), episode_value([*scores, more], wasted, TERMS)
    assert after is not None
    if any(s is not None for s in scores):
        assert before is not None
        assert after >= before


@given(SCORES, WASTED)
def test_wasting_turns_never_pays(scores: list[float | None], wasted: int) -> None:
    less, more = episode_value(scores, wasted, TERMS), episode_value(scores, wasted + 1, TERMS)
    assert (less is None and more is None) or (less is not None and more is not None and more <= less)


@given(st.permutations([0.5, None, -1.0, 0.25]), WASTED)
def test_order_does_not_matter(scores: list[float | None], wasted: int) -> None:
    assert episode_value(scores, wasted, TERMS) == episode_value([0.5, None, -1.0, 0.25], wasted, TERMS)


@given(SCORES, WASTED)
def test_only_the_unsettled_differs_before_the_end(scores: list[float | None], wasted: int) -> None:
    if any(s is not None for s in scores):
        assert value_so_far(scores, wasted, TERMS) == episode_value(scores, wasted, TERMS)
