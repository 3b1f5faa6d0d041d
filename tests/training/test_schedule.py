import pytest
from hypothesis import given
from hypothesis import strategies as st

from verulaw_rl.training.schedule import instances_of_update

pytestmark = pytest.mark.unit


@given(st.integers(1, 12), st.integers(1, 20), st.integers(0, 5))
def test_every_instance_comes_once_before_any_comes_again(instances: int, count: int, seed: int) -> None:
    keys = [f"k{n}" for n in range(instances)]
    stream = [k for update in range(1, 14) for k in instances_of_update(keys, seed, update, count)]
    assert len(stream) == 13 * count
    for start in range(0, len(stream) - instances + 1, instances):
        assert sorted(stream[start : start + instances]) == sorted(keys)


def test_it_depends_on_seed_and_update_alone() -> None:
    keys = [f"k{n}" for n in range(40)]
    assert instances_of_update(keys, 1, 3, 8) == instances_of_update(keys[::-1], 1, 3, 8)
    assert instances_of_update(keys, 1, 3, 8) != instances_of_update(keys, 2, 3, 8)
    assert instances_of_update(keys, 1, 1, 40) != instances_of_update(keys, 1, 2, 40), "each epoch has its own order"
