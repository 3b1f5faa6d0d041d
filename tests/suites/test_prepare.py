"""What a generated suite learns from and what it holds out."""

import re

import pytest

from verulaw_rl.config.suite import GeneratedSuite
from verulaw_rl.errors import UserError
from verulaw_rl.suites.generate.draw import POOLS
from verulaw_rl.suites.prepare import draw_programs

pytestmark = pytest.mark.unit

FAMILIES = ("fold_sum", "copy", "map_new", "count_if")


def test_structural_variants_are_held_out():
    learning, heldout = draw_programs(GeneratedSuite(train=30, heldout=20, warm_start=40, families=FAMILIES))
    assert (len(learning), len(heldout)) == (70, 20)
    seen = {(p.family, p.variant) for p in learning}
    assert not seen & {(p.family, p.variant) for p in heldout}
    assert {p.family for p in heldout} <= set(FAMILIES)


def test_families_are_held_out():
    config = GeneratedSuite(train=10, heldout=6, warm_start=5, families=FAMILIES, heldout_families=("copy",))
    learning, heldout = draw_programs(config)
    assert {p.family for p in heldout} == {"copy"}
    assert {p.family for p in learning} == set(FAMILIES) - {"copy"}


def test_the_draw_is_a_function_of_the_config():
    config = GeneratedSuite(train=10, heldout=6, warm_start=0, families=FAMILIES, seed=3)
    assert draw_programs(config) == draw_programs(config)
    assert draw_programs(config) != draw_programs(config.model_copy(update={"seed": 4}))


def test_names_bound_the_identifiers():
    learning, _ = draw_programs(GeneratedSuite(train=30, heldout=5, warm_start=0, families=("copy",), names=1))
    indexes = {name for name in POOLS["index"] for p in learning if f"var {name} :=" in p.text}
    assert indexes == {POOLS["index"][0]}


def test_constants_bound_the_values():
    learning, _ = draw_programs(
        GeneratedSuite(train=30, heldout=5, warm_start=0, families=("linear_count",), names=1, constants=2)
    )
    # The family draws its start from 0 on and its factor from 2 on, two values each.
    pairs = {re.search(r"ensures r == (\d+) [+-] (\d+) \*", p.text).groups() for p in learning}
    assert pairs == {("0", "2"), ("0", "3"), ("1", "2"), ("1", "3")}


def test_too_few_programs_are_an_error():
    with pytest.raises(UserError, match="distinct programs"):
        draw_programs(GeneratedSuite(train=5000, heldout=64, families=("square",), names=1))
