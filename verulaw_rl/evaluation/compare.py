"""Evaluations of the same instances against one another: paired differences, and the trend over checkpoints. Pure.

Figures of different suites or verifiers are not comparable, so :func:`differences` says what differs and the caller
(``verulaw-rl compare``, the report) refuses unless it was told otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from verulaw_rl.evaluation.metrics import MEANS, RATES, mean_values, summarise, values
from verulaw_rl.evaluation.outcome import Outcome, outcome_of
from verulaw_rl.evaluation.run_folder import Evaluation
from verulaw_rl.evaluation.statistics import Estimate, PairedDifference, Trend, paired_difference, trend

NAMED = 3
"""Instances named in a sentence that says what differs."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One figure of several evaluations, the later ones against the first."""

    name: str
    label: str
    is_rate: bool
    values: tuple[Estimate, ...]
    """Of each evaluation, over all that it played."""
    differences: tuple[PairedDifference, ...]
    """Of each evaluation after the first, over the instances that both scored."""
    trend: Trend | None
    """With three evaluations or more, over the instances that all scored."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Several evaluations, compared."""

    names: tuple[str, ...]
    instances: int
    """Played by all of them."""
    figures: tuple[Compared, ...]
    improved: tuple[str, ...]
    """Instances whose verified rate is higher in the last evaluation than in the first."""
    regressed: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def differences(evaluations: Sequence[Evaluation]) -> list[str]:
    """Why these evaluations are not of one suite under one verifier; nothing where they are."""
    out: list[str] = []
    for first, second in combinations(evaluations, 2):
        out += [text for text in _between(first, second) if text not in out]
    return out


def _between(first: Evaluation, second: Evaluation) -> list[str]:
    names = f"{first.name} and {second.name}"
    out = []
    tools = [sorted({_identity(r.tools) for r in e.records}) for e in (first, second)]
    if tools[0] != tools[1]:
        out.append(f"{names} have verdicts of different tools: {', '.join(tools[0])} and {', '.join(tools[1])}")
    hashes = [{r.instance: r.instance_hash for r in e.records} for e in (first, second)]
    alone = sorted(hashes[0].keys() ^ hashes[1].keys())
    if alone:
        out.append(f"{names} played different instances: only one of them has {_some(alone)}")
    changed = sorted(k for k in hashes[0].keys() & hashes[1].keys() if hashes[0][k] != hashes[1][k])
    if changed:
        out.append(f"{names} played different versions of {_some(changed)}: the suite was built anew between them")
    return out


def _identity(tools: Sequence[Any]) -> str:
    """Everything that a tool's verdicts depend on: version, solver and flags."""
    return " + ".join(f"{t.name} {t.version} ({t.solver}; {' '.join(t.flags)})" for t in tools)


def _some(keys: Sequence[str]) -> str:
    more = len(keys) - NAMED
    return ", ".join(keys[:NAMED]) + (f" and {more} more" if more > 0 else "")


def compare(evaluations: Sequence[Evaluation], positions: Sequence[float] | None = None) -> Comparison:
    """Compare evaluations, the first being what the others are held against.

    Args:
        evaluations: two or more.
        positions: of the evaluations for the trend, such as their updates; 0, 1, 2, ... when absent.
    """
    outcomes = [[outcome_of(r, e.instances) for r in e.records] for e in evaluations]
    programs = {o.instance: o.program for own in outcomes for o in own}
    verified = [values(own, "verified") for own in outcomes]
    means = [{k: sum(v) / len(v) for k, v in own.items()} for own in (verified[0], verified[-1])]
    both = sorted(means[0].keys() & means[1].keys())
    return Comparison(
        names=tuple(e.name for e in evaluations),
        instances=len(set.intersection(*({o.instance for o in own} for own in outcomes))),
        figures=tuple(_figures(outcomes, programs, positions)),
        improved=tuple(k for k in both if means[1][k] > means[0][k]),
        regressed=tuple(k for k in both if means[1][k] < means[0][k]),
    )


def _figures(
    outcomes: Sequence[Sequence[Outcome]], programs: dict[str, str], positions: Sequence[float] | None
) -> list[Compared]:
    summaries = [{m.name: m.estimate for m in summarise(own).metrics} for own in outcomes]
    rates = [(name, r.label, True, [values(own, name) for own in outcomes]) for name, r in RATES.items()]
    means = [(name, m[0], False, [mean_values(own, name) for own in outcomes]) for name, m in MEANS.items()]
    nothing = Estimate(None, None, None, 0)
    return [
        Compared(
            name,
            label,
            is_rate,
            tuple(s.get(name, nothing) for s in summaries),
            tuple(paired_difference(sides[0], side, programs) for side in sides[1:]),
            trend(sides, positions, programs) if len(sides) > 2 else None,
        )
        for name, label, is_rate, sides in (*rates, *means)
        if all(sides)
    ]


def difference_words(difference: PairedDifference, is_rate: bool) -> str:
    """A difference in words: points of a rate, or units of a mean, with its interval and test."""
    if difference.difference.value is None:
        return "none"
    counts = f"{difference.improved}:{difference.regressed} of {difference.difference.n}"
    p = f", p = {difference.p_value:.2g}" if difference.p_value is not None and is_rate else ""
    words = _signed(difference.difference, is_rate)
    if difference.bootstrap != difference.difference:
        words += f", bootstrap {_interval(difference.bootstrap, is_rate)}"
    return f"{words}; {counts}{p}"


def trend_words(figure: Compared) -> str:
    """A trend in words: change per step, with its interval and test."""
    assert figure.trend is not None
    if figure.trend.slope.value is None:
        return "none"
    p = "none moves" if figure.trend.p_value is None else f"p = {figure.trend.p_value:.2g}"
    return f"{_signed(figure.trend.slope, figure.is_rate)}; {p}"


def _signed(estimate: Estimate, is_rate: bool) -> str:
    """A difference with its interval, in points of a rate or units of a mean."""
    value = f"{100 * (estimate.value or 0):+.1f}" if is_rate else f"{estimate.value or 0:+.2f}"
    interval = _interval(estimate, is_rate)
    return f"{value} ({interval})" if interval else value


def _interval(estimate: Estimate, is_rate: bool) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    scale, digits = (100, 1) if is_rate else (1, 2)
    return f"{scale * estimate.low:+.{digits}f} to {scale * estimate.high:+.{digits}f}"
