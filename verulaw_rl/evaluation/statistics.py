"""Intervals and paired tests for evaluation results. Pure functions; metrics and reports call them.

A program is the unit of chance: several samples of one instance, or several instances of one program, are not
independent, so anything with more than one value per program is resampled over programs (a clustered bootstrap).
One value per program gives Wilson's interval for a rate, and Agresti and Min's for a paired difference; both
stay wide where every program agrees, which a bootstrap does not. Values come grouped by program.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest, bootstrap, norm

CONFIDENCE = 0.95
RESAMPLES = 5000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % interval; all three are ``None`` when there is nothing to count."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    """Programs that it rests on."""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """After minus before, over the instances that both evaluations scored."""

    difference: Estimate
    """With Agresti and Min's interval where every value is 0 or 1 and no program has two instances, else as below."""
    bootstrap: Estimate
    """With the percentile bootstrap over programs."""
    improved: int
    """Instances whose mean rose."""
    regressed: int
    """Instances whose mean fell."""
    p_value: float | None
    """Exact McNemar test (two-sided) of improved against regressed, a sign test where an instance has several
    samples; ``None`` when nothing can be compared."""


@dataclass(frozen=True, slots=True)
class Trend:
    """How a value moves over checkpoints that all played the same instances."""

    slope: Estimate
    """Change of the mean per step of the checkpoints' positions, with the bootstrap over programs."""
    z: float | None
    p_value: float | None
    """Two-sided; ``None`` when no instance changes, or fewer than two checkpoints share one."""


def wilson(successes: int, n: int) -> Estimate:
    """Wilson's 95 % score interval of a binomial proportion (Wilson, 1927)."""
    if n == 0:
        return Estimate(None, None, None, 0)
    interval = binomtest(successes, n).proportion_ci(CONFIDENCE, method="wilson")
    return Estimate(successes / n, float(interval.low), float(interval.high), n)


def rate(samples: Mapping[str, Sequence[bool]]) -> Estimate:
    """Share of true samples, given by program.

    Wilson's interval with one sample per program, else a bootstrap over programs; where no resample
    can differ (every sample agrees) Wilson's interval over the programs.
    """
    groups = [group for group in samples.values() if group]
    if all(len(group) == 1 for group in groups):
        return wilson(sum(group[0] for group in groups), len(groups))
    everything = [bool(value) for group in groups for value in group]
    if len(set(everything)) == 1:
        return wilson(len(groups) * everything[0], len(groups))
    return mean(samples)


def mean(samples: Mapping[str, Sequence[float]], seed: int = 0) -> Estimate:
    """Mean over all samples, given by program, with the percentile bootstrap over programs."""
    groups = [group for group in samples.values() if group]
    if not groups:
        return Estimate(None, None, None, 0)
    sums = np.array([math.fsum(group) for group in groups])
    counts = np.array([len(group) for group in groups])
    value = float(sums.sum() / counts.sum())
    if len(groups) == 1:
        return Estimate(value, None, None, 1)
    result = bootstrap(
        (sums, counts),
        lambda s, c, axis: s.sum(axis=axis) / c.sum(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    interval = result.confidence_interval
    return Estimate(value, float(interval.low), float(interval.high), len(groups))


def paired_difference(
    before: Mapping[str, Sequence[float]],
    after: Mapping[str, Sequence[float]],
    programs: Mapping[str, str] | None = None,
) -> PairedDifference:
    """Compare two evaluations of the same instances; instances that only one of them scored are left out.

    Args:
        before: values by instance.
        after: values by instance.
        programs: program of an instance; each instance is its own where it is not named.
    """
    keys = sorted(key for key in before.keys() & after.keys() if before[key] and after[key])
    first = {key: math.fsum(before[key]) / len(before[key]) for key in keys}
    second = {key: math.fsum(after[key]) / len(after[key]) for key in keys}
    improved = sum(second[key] > first[key] for key in keys)
    regressed = sum(second[key] < first[key] for key in keys)
    if not keys:
        nothing = Estimate(None, None, None, 0)
        return PairedDifference(nothing, nothing, 0, 0, None)
    grouped = by_program({key: [second[key] - first[key]] for key in keys}, programs)
    resampled = mean(grouped)
    difference = resampled
    if set(first.values()) | set(second.values()) <= {0.0, 1.0} and len(grouped) == len(keys):
        difference = _matched_proportions(improved, regressed, len(keys))
    return PairedDifference(difference, resampled, improved, regressed, mcnemar(improved, regressed))


def by_program(
    values: Mapping[str, Sequence[float]], programs: Mapping[str, str] | None = None
) -> dict[str, list[float]]:
    """Values by instance, put together by program."""
    out: dict[str, list[float]] = {}
    for key, own in values.items():
        out.setdefault((programs or {}).get(key, key), []).extend(own)
    return out


def trend(
    series: Sequence[Mapping[str, Sequence[float]]],
    positions: Sequence[float] | None = None,
    programs: Mapping[str, str] | None = None,
) -> Trend:
    """Test for a trend over checkpoints, each instance its own stratum.

    Mantel's extension test (Mantel, 1963): the sum over instances of ``(x - mean x)(y - mean y)``, against its
    variance when an instance's values are shuffled over the checkpoints. Differences between instances, which are
    large, do not count.

    Args:
        series: values by instance of each checkpoint, in order; instances that not all of them scored are left out.
        positions: of the checkpoints, such as their updates; 0, 1, 2, ... when absent.
        programs: program of an instance; each instance is its own where it is not named.
    """
    x = np.asarray(range(len(series)) if positions is None else positions, dtype=float)
    keys = sorted(set.intersection(*(set(s) for s in series))) if len(series) > 1 else []
    keys = [key for key in keys if all(s[key] for s in series)]
    spread = float(((x - x.mean()) ** 2).sum()) if keys else 0.0
    if not keys or spread == 0:
        return Trend(Estimate(None, None, None, 0), None, None)
    y = np.array([[math.fsum(s[key]) / len(s[key]) for s in series] for key in keys])
    away = y - y.mean(axis=1, keepdims=True)
    moved = away @ (x - x.mean())
    variance = float((away**2).sum()) * spread / (len(series) - 1)
    slope = mean(by_program({key: [float(m) / spread] for key, m in zip(keys, moved, strict=True)}, programs))
    if variance == 0:
        return Trend(slope, None, None)
    z = float(moved.sum()) / math.sqrt(variance)
    return Trend(slope, z, float(2 * norm.sf(abs(z))))


def _matched_proportions(improved: int, regressed: int, n: int) -> Estimate:
    """Agresti and Min (2005): Wald's interval after half an observation is added to each of the four cells."""
    total, up, down = n + 2.0, improved + 0.5, regressed + 0.5
    centre = (up - down) / total
    half = float(norm.ppf((1 + CONFIDENCE) / 2)) * math.sqrt(up + down - (up - down) ** 2 / total) / total
    return Estimate((improved - regressed) / n, max(-1.0, centre - half), min(1.0, centre + half), n)


def mcnemar(improved: int, regressed: int) -> float:
    """Exact two-sided McNemar test: the discordant pairs are a fair coin's under no change."""
    if improved + regressed == 0:
        return 1.0
    return float(binomtest(improved, improved + regressed, 0.5).pvalue)


def pass_at_k(samples: int, successes: int, k: int) -> float:
    """Unbiased estimate of at least one success among ``k`` samples (Chen et al., 2021, equation 1).

    Raises:
        ValueError: fewer than ``k`` samples.
    """
    if k > samples:
        raise ValueError(f"pass@{k} needs at least {k} samples, there are {samples}")
    return 1.0 - math.comb(samples - successes, k) / math.comb(samples, k)
