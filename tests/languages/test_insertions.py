"""Line insertions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verulaw_rl.languages.insertions import Insertion, InsertionError, apply_insertions

pytestmark = pytest.mark.unit

GIVEN = "one\ntwo\nthree\n"


def test_lines_go_behind_the_numbered_line_in_their_order() -> None:
    insertions = [Insertion(2, "b"), Insertion(0, "a"), Insertion(2, "c\nd\n"), Insertion(3, "e")]
    assert apply_insertions(GIVEN, insertions) == "a\none\ntwo\nb\nc\nd\nthree\ne\n"


@pytest.mark.parametrize("line", [-1, 4])
def test_a_line_that_is_not_there(line: int) -> None:
    with pytest.raises(InsertionError, match=rf"line {line}.* 1 to 3"):
        apply_insertions(GIVEN, [Insertion(line, "x")])


@given(st.text(alphabet="ab \r\n"), st.lists(st.tuples(st.integers(0, 3), st.text(alphabet="xy\n", min_size=1))))
def test_the_given_stays(given_text: str, made: list[tuple[int, str]]) -> None:
    assert apply_insertions(given_text, []) == given_text
    count = len(given_text.removesuffix("\n").split("\n")) if given_text else 0
    result = apply_insertions(given_text, [Insertion(n, text) for n, text in made if n <= count])
    kept = "".join(c for c in result if c not in "xy\n")
    assert kept == given_text.replace("\n", "")
