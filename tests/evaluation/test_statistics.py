import math

import numpy as np
import pytest

from verulaw_rl.evaluation.statistics import mcnemar, mean, paired_difference, pass_at_k, rate, trend, wilson

pytestmark = pytest.mark.unit


def by_hand_wilson(k: int, n: int) -> tuple[float, float]:
    """Wilson (1927), written out with z = 1.959964."""
    z, p = 1.959964, k / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return centre - half, centre + half


@pytest.mark.parametrize(("k", "n"), [(8, 10), (0, 10), (10, 10), (31, 64), (1, 1)])
def test_wilson_is_its_formula(k: int, n: int) -> None:
    estimate = wilson(k, n)
    assert estimate.value == k / n
    assert (estimate.low, estimate.high) == pytest.approx(by_hand_wilson(k, n), abs=1e-6)


def test_wilson_known_value() -> None:
    estimate = wilson(8, 10)  # 0.490 to 0.943 in every table of the method
    assert estimate.low == pytest.approx(0.4902, abs=1e-4)
    assert estimate.high == pytest.approx(0.9433, abs=1e-4)


def test_nothing_counted_is_no_rate() -> None:
    assert wilson(0, 0).value is None
    assert rate({}).value is None
    assert mean({"a": []}).value is None
    assert paired_difference({}, {}).p_value is None


def test_rate_with_one_sample_each_is_wilson() -> None:
    assert rate({"a": [True], "b": [False], "c": []}) == wilson(1, 2)


def test_samples_of_one_instance_are_no_independent_evidence() -> None:
    once = {f"i{n}": [n < 20] for n in range(40)}
    eight_times = {key: value * 8 for key, value in once.items()}
    repeated = rate(eight_times)
    assert repeated.value == 0.5
    assert repeated.n == 40
    assert repeated.low is not None
    assert repeated.high is not None
    # The standard error over instances is sqrt(0.25 / 40) = 0.079, not sqrt(0.25 / 320) = 0.028.
    assert repeated.high - repeated.low == pytest.approx(2 * 1.96 * math.sqrt(0.25 / 40), rel=0.1)


def test_unanimous_samples_keep_a_wide_interval() -> None:
    assert rate({f"i{n}": [True, True] for n in range(10)}) == wilson(10, 10)


def test_mean_weighs_samples_and_is_repeatable() -> None:
    samples = {"a": [1.0, 3.0], "b": [5.0]}
    assert mean(samples).value == pytest.approx(3.0)
    assert mean(samples) == mean(samples)
    assert mean({"a": [2.0, 4.0]}).low is None  # one instance says nothing about others


def test_mean_interval_is_near_the_normal_one() -> None:
    values = np.random.default_rng(1).normal(size=400)
    estimate = mean({str(n): [float(v)] for n, v in enumerate(values)})
    assert estimate.low is not None
    assert estimate.low == pytest.approx(values.mean() - 1.96 * values.std() / 20, abs=0.02)


def test_mcnemar_by_hand() -> None:
    assert mcnemar(9, 1) == pytest.approx(2 * (1 + 10) / 2**10)
    assert mcnemar(1, 9) == mcnemar(9, 1)
    assert mcnemar(0, 0) == 1.0


def test_matched_proportions_published_example() -> None:
    """Agresti, Categorical Data Analysis, table 10.1: difference -0.04, interval -0.059 to -0.021."""
    cells = [(1.0, 1.0)] * 794 + [(1.0, 0.0)] * 150 + [(0.0, 1.0)] * 86 + [(0.0, 0.0)] * 570
    before = {str(n): [first] for n, (first, _) in enumerate(cells)}
    after = {str(n): [second] for n, (_, second) in enumerate(cells)}
    result = paired_difference(before, after)
    assert result.difference.value == pytest.approx(-0.04)
    assert result.difference.low == pytest.approx(-0.059, abs=5e-4)
    assert result.difference.high == pytest.approx(-0.021, abs=5e-4)
    assert (result.improved, result.regressed) == (86, 150)


def test_difference_is_paired_over_common_instances_only() -> None:
    result = paired_difference({"a": [0.0], "b": [1.0], "x": [1.0]}, {"a": [1.0], "b": [1.0], "y": [0.0]})
    assert result.difference.n == 2
    assert result.difference.value == 0.5
    assert (result.improved, result.regressed, result.p_value) == (1, 0, 1.0)


def test_no_change_is_not_certainty() -> None:
    same = {str(n): [float(n % 2)] for n in range(60)}
    difference = paired_difference(same, same).difference
    assert difference.value == 0.0
    assert difference.low is not None
    assert difference.low < 0.0


def test_several_samples_are_compared_by_instance_means() -> None:
    before = {str(n): [0.0, 1.0] for n in range(30)}
    after = {str(n): [1.0, 1.0] if n < 15 else [0.0, 1.0] for n in range(30)}
    result = paired_difference(before, after)
    assert result.difference.value == pytest.approx(0.25)
    assert result.improved == 15
    assert result.difference.low is not None
    assert result.difference.low > 0.1


def test_pass_at_k_by_hand() -> None:
    assert pass_at_k(5, 2, 2) == pytest.approx(0.7)  # 1 - C(3,2)/C(5,2)
    assert pass_at_k(4, 0, 4) == 0.0
    assert pass_at_k(4, 3, 2) == 1.0
    with pytest.raises(ValueError, match="at least 3"):
        pass_at_k(2, 1, 3)


def test_trend_of_binary_values_is_mantels() -> None:
    # Three checkpoints, x = -1, 0, 1. Of four instances: 0 0 1, 0 1 1, 1 1 1 and 1 0 0.
    series = [
        {"a": [0.0], "b": [0.0], "c": [1.0], "d": [1.0]},
        {"a": [0.0], "b": [1.0], "c": [1.0], "d": [0.0]},
        {"a": [1.0], "b": [1.0], "c": [1.0], "d": [0.0]},
    ]
    # Sum of x*y: 1 + 1 + 0 - 1 = 1. Variance of each that moves: 2 * (2/3) / 2 = 2/3; three of them: 2.
    found = trend(series)
    assert found.z == pytest.approx(1 / math.sqrt(2))
    assert found.p_value == pytest.approx(0.4795, abs=1e-4)  # 2 * (1 - Phi(0.7071))
    assert found.slope.value == pytest.approx(1 / 2 / 4)
    assert found.slope.n == 4


def test_trend_takes_positions_and_leaves_out_what_is_missing() -> None:
    series = [{"a": [0.0], "b": [1.0]}, {"a": [0.5]}, {"a": [1.0], "b": [1.0]}]
    assert trend(series, positions=[0, 10, 20]).slope.value == pytest.approx(0.05)
    assert trend(series).slope.n == 1


def test_no_trend_where_nothing_moves() -> None:
    assert trend([{"a": [1.0]}] * 3).p_value is None
    assert trend([{"a": [1.0]}]).slope.value is None
    assert trend([{"a": [1.0]}, {"a": [0.0]}], positions=[5, 5]).slope.value is None


def test_differences_of_one_program_are_no_independent_evidence() -> None:
    before = {f"{p}{k}": [0.0] for p in "abcdefgh" for k in range(5)}
    after = {key: [float(key[0] in "abcd")] for key in before}
    alone = paired_difference(before, after)
    together = paired_difference(before, after, {key: key[0] for key in before})
    assert alone.difference.value == together.difference.value == 0.5
    assert (alone.difference.n, together.difference.n) == (40, 8)
    assert together.difference == together.bootstrap
    assert together.difference.low is not None
    assert alone.bootstrap.low is not None
    assert together.difference.low < alone.bootstrap.low
