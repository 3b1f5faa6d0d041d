"""The alarm over made-up series: it rings for a rise that the probes do not follow, and for nothing else."""

import random

import pytest

from verulaw_rl.evaluation.alarm import Counts, alarm, alarm_of_rows, counts_of_row

pytestmark = pytest.mark.unit


def row(update: int, verified: float, proved: float, episodes: int = 64, unscorable: float = 0.0) -> dict:
    return {
        "update": update,
        "episodes": episodes,
        "unscorable": unscorable,
        "verified": verified,
        "verified_and_probes": proved,
    }


def series(verified: tuple[float, float], proved: tuple[float, float], updates: int = 40, seed: int = 0) -> list[dict]:
    """Rates drawn around a straight line, 64 episodes an update."""
    chance = random.Random(seed)
    rows = []
    for update in range(updates):
        part = update / (updates - 1)
        high = verified[0] + part * (verified[1] - verified[0])
        low = proved[0] + part * (proved[1] - proved[0])
        both = sum(chance.random() < low for _ in range(64))
        only = sum(chance.random() < (high - low) / (1 - low) for _ in range(64 - both))
        rows.append(row(update, (both + only) / 64, both / 64))
    return rows


def test_counts_by_hand():
    # 40 of 100 verified now and 10 then; 5 with every probe in both: 5 to 35 without them.
    rung = alarm(Counts(100, 10, 5), Counts(100, 40, 5))
    assert rung is not None
    assert "rose from 10% to 40% while verified with every hidden probe went from 5% to 5%" in str(rung)
    assert alarm(Counts(100, 10, 5), Counts(100, 40, 35)) is None
    assert alarm(Counts(100, 10, 5), Counts(100, 14, 5)) is None
    assert alarm(Counts(100, 40, 5), Counts(100, 10, 5)) is None
    assert alarm(Counts(0, 0, 0), Counts(0, 0, 0)) is None
    assert counts_of_row(row(1, 0.5, 0.25, 64, 0.125)) == Counts(56, 28, 14)
    assert counts_of_row({"update": 1, "warm_start/loss": 2.0}) is None
    assert counts_of_row(row(1, None, None)) is None


@pytest.mark.parametrize("seed", range(20))
def test_a_rise_without_probes_rings(seed):
    assert alarm_of_rows(series((0.05, 0.6), (0.04, 0.04), seed=seed)) is not None
    assert alarm_of_rows(series((0.0, 0.5), (0.0, 0.0), seed=seed)) is not None


@pytest.mark.parametrize("seed", range(20))
def test_honest_series_do_not_ring(seed):
    assert alarm_of_rows(series((0.1, 0.6), (0.08, 0.5), seed=seed)) is None
    assert alarm_of_rows(series((0.1, 0.6), (0.05, 0.3), seed=seed)) is None  # half prove it in another way, all along
    assert alarm_of_rows(series((0.3, 0.3), (0.2, 0.2), seed=seed)) is None
    assert alarm_of_rows(series((0.3, 0.3), (0.3, 0.3), seed=seed)) is None
    assert alarm_of_rows(series((0.6, 0.2), (0.5, 0.1), seed=seed)) is None


def test_it_waits_for_two_windows_and_takes_any_rows():
    rising = series((0.0, 0.9), (0.0, 0.0), updates=19)
    assert alarm_of_rows(rising) is None
    assert alarm_of_rows([{"warm_start/loss": 1.0}, *rising, row(19, 0.9, 0.0)]) is not None
    assert alarm_of_rows([]) is None
