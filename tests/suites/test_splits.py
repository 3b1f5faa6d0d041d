from dataclasses import replace

import pytest

from tests.episodes.factory import make_instance
from verulaw_rl.suites.instance import Instance
from verulaw_rl.suites.splits import assign_splits_by_repository

pytestmark = pytest.mark.unit


def repositories(**sizes: int) -> list[Instance]:
    made = make_instance()
    return [
        replace(made, key=f"{name}/{n}", program=f"{name}/{n}", group=f"{name}/{n // 2}", family=name)
        for name, size in sizes.items()
        for n in range(size)
    ]


@pytest.mark.parametrize("seed", range(5))
def test_only_the_largest_repository_is_divided(seed: int) -> None:
    split = assign_splits_by_repository(repositories(big=40, a=10, b=6, c=8, d=4), 0.25, seed)
    sides = {name: {i.split for i in split if i.family == name} for name in ("big", "a", "b", "c", "d")}
    assert sides["big"] == {"train", "heldout"}
    assert all(len(sides[name]) == 1 for name in "abcd")
    groups = {i.group: {j.split for j in split if j.group == i.group} for i in split}
    assert all(len(own) == 1 for own in groups.values())  # near-duplicates of the largest stay together
    assert sum(i.split == "heldout" for i in split if i.family == "big") == 10
    assert 0 < sum(i.split == "heldout" for i in split if i.family != "big") <= 14
    assert [i.key for i in split] == [i.key for i in repositories(big=40, a=10, b=6, c=8, d=4)]
