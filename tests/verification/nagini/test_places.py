"""Clauses and declarations at the places that Nagini names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verulaw_rl.languages.base import Category
from verulaw_rl.verification.nagini.places import Places
from verulaw_rl.verification.verdict import Location

pytestmark = pytest.mark.unit

PROGRAM = """\
from nagini_contracts.contracts import *


class Outer:
    @Pure
    def größe(self, s: str) -> int:
        Ensures(s != "é" and Implies(s == "ä", Result() > 3))
        return 1

    def after(self) -> None:
        while True:
            Invariant(
                True
            )
"""


def test_the_innermost_declaration():
    places = Places(PROGRAM)
    assert places.declaration_at(Location(8, 8)) == "Outer.größe"
    assert places.declaration_at(Location(5, 5)) == "Outer.größe"
    assert places.declaration_at(Location(9, 0)) == "Outer"
    assert places.declaration_at(Location(1, 0)) is None


def test_columns_count_bytes():
    line = PROGRAM.splitlines()[6]
    column = len(line[: line.index("Result")].encode())
    places = Places(PROGRAM)
    clause = places.clause_at(Location(7, column), Category.POSTCONDITION)
    assert clause == 'Ensures(s != "é" and Implies(s == "ä", Result() > 3))'
    assert places.clause_at(Location(7, column), Category.SAFETY) is None
    assert places.clause_at(Location(13, 16), Category.INVARIANT).split() == ["Invariant(", "True", ")"]


@given(st.text(max_size=200), st.integers(-1, 20), st.integers(-1, 200))
def test_any_text(text, line, column):
    places = Places(text)
    places.declaration_at(Location(line, column))
    places.clause_at(Location(line, column), Category.ASSERTION)
