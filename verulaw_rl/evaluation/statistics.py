"""Intervals and paired tests for evaluation results. Pure functions; metrics and reports call them.

An instance is the unit of chance: several samples of one instance are not independent, so anything
with more than one sample per instance is resampled over instances (a clustered bootstrap). One sample
per instance gives Wilson's interval for a rate, and Agresti and Min's for a paired difference; both
stay wide where every instance agrees, which a bootstrap does not.
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
    """Instances that it rests on."""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """After minus before, over the instances that both evaluations scored."""

    difference: Estimate
    improved: int
    """Instances whose mean rose."""
    regressed: int
    """Instances whose mean fell."""
    p_value: float | None
    """Exact McNemar test (two-sided), ``None`` when nothing can be compared."""


def wilson(successes: int, n: int) -> Estimate:
    """Wilson's 95 % score interval of a binomial proportion (Wilson, 1927)."""
    if n == 0:
        return Estimate(None, None, None, 0)
    interval = binomtest(successes, n).proportion_ci(CONFIDENCE, method="wilson")
    return Estimate(successes / n, float(interval.low), float(interval.high), n)


def rate(samples: Mapping[str, Sequence[bool]]) -> Estimate:
    """Share of true samples, given by instance.

    Wilson's interval with one sample per instance, else a bootstrap over instances; where no resample
    can differ (every sample agrees) Wilson's interval over the instances.
    """
    groups = [group for group in samples.values() if group]
    if all(len(group) == 1 for group in groups):
        return wilson(sum(group[0] for group in groups), len(groups))
    everything = [bool(value) for group in groups for value in group]
    if len(set(everything)) == 1:
        return wilson(len(groups) * everything[0], len(groups))
    return mean(samples)


def mean(samples: Mapping[str, Sequence[float]], seed: int = 0) -> Estimate:
    """Mean over all samples, given by instance, with the percentile bootstrap over instances."""
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


def paired_difference(before: Mapping[str, Sequence[float]], after: Mapping[str, Sequence[float]]) -> PairedDifference:
    """Compare two evaluations of the same instances; instances that only one of them scored are left out."""
    keys = sorted(key for key in before.keys() & after.keys() if before[key] and after[key])
    first = {key: math.fsum(before[key]) / len(before[key]) for key in keys}
    second = {key: math.fsum(after[key]) / len(after[key]) for key in keys}
    improved = sum(second[key] > first[key] for key in keys)
    regressed = sum(second[key] < first[key] for key in keys)
    if not keys:
        return PairedDifference(Estimate(None, None, None, 0), 0, 0, None)
    if set(first.values()) | set(second.values()) <= {0.0, 1.0}:
        difference = _matched_proportions(improved, regressed, len(keys))
    else:
        difference = mean({key: [second[key] - first[key]] for key in keys})
    return PairedDifference(difference, improved, regressed, mcnemar(improved, regressed))


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
