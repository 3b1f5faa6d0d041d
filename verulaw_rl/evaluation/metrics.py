"""Evaluated episodes to a table of rates with intervals. Pure; the command, the trainer and reports call it.

Three things are never mixed: an episode that failed, one whose verifier ran out of its limits (counted as
failed in the strict rate, left out of the other), and one that could not be scored because the tool or the
machine failed (in no rate at all, only counted).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from verulaw_rl.evaluation.outcome import Outcome
from verulaw_rl.evaluation.statistics import Estimate, mean, pass_at_k, rate

T = TypeVar("T")
Test = Callable[[Outcome], bool]

RATES: dict[str, tuple[str, Test]] = {
    "verified": ("verified", lambda o: o.verified),
    "verified_and_probes": ("verified, and every hidden probe holds", lambda o: o.verified_and_probes),
    "first_submission": ("verified at the first submission", lambda o: o.first_verified),
    "specification_changed": ("some submission changed the specification", lambda o: o.specification_changed),
    "proof_escape": ("some submission escaped its proof", lambda o: o.proof_escape),
    "timeout": ("verifier ran out of its limits", lambda o: o.timeout),
}
"""Shares of the scorable episodes: name, words, and what is counted."""

MEANS: dict[str, Callable[[Outcome], float]] = {
    "reward": lambda o: o.reward or 0.0,
    "turns": lambda o: float(o.turns),
    "submissions": lambda o: float(o.submissions),
}
"""Means over the scorable episodes."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One row of the table."""

    name: str
    label: str
    estimate: Estimate
    is_rate: bool = True


@dataclass(frozen=True, slots=True)
class Summary:
    """What an evaluation says."""

    episodes: int
    instances: int
    unscorable: int
    """Episodes in no rate: the tool's or the machine's failures."""
    metrics: tuple[Metric, ...]
    by_family: dict[str, Estimate]
    """Verified rate."""
    by_difficulty: dict[int, Estimate]
    """Verified rate."""
    tools: tuple[str, ...]
    """Verifier versions; more than one means that the rates mix verdicts that are not comparable."""

    def get(self, name: str) -> Estimate:
        """The estimate of a metric by its name."""
        return next(m.estimate for m in self.metrics if m.name == name)

    def to_json(self) -> dict[str, Any]:
        """Plain data for ``--json``."""
        return {
            "episodes": self.episodes,
            "instances": self.instances,
            "unscorable": self.unscorable,
            "tools": list(self.tools),
            "metrics": {m.name: asdict(m.estimate) for m in self.metrics},
            "by_family": {k: asdict(v) for k, v in self.by_family.items()},
            "by_difficulty": {str(k): asdict(v) for k, v in self.by_difficulty.items()},
        }


def summarise(outcomes: Sequence[Outcome]) -> Summary:
    """The table of one evaluation."""
    scorable = [o for o in outcomes if not o.unscorable]
    metrics = [Metric(name, label, _share(scorable, test)) for name, (label, test) in RATES.items()]
    in_time = [o for o in scorable if not o.timeout]
    metrics.insert(1, Metric("verified_in_time", "verified, timeouts left out", _share(in_time, RATES["verified"][1])))
    metrics += _pass_at(scorable)
    metrics += [Metric(n, n, mean(_by_instance(scorable, value)), is_rate=False) for n, value in MEANS.items()]
    return Summary(
        episodes=len(outcomes),
        instances=len({o.instance for o in outcomes}),
        unscorable=len(outcomes) - len(scorable),
        metrics=tuple(metrics),
        by_family={k: _share(v, RATES["verified"][1]) for k, v in sorted(_grouped(scorable, "family").items())},
        by_difficulty={k: _share(v, RATES["verified"][1]) for k, v in sorted(_grouped(scorable, "difficulty").items())},
        tools=tuple(sorted({o.tool for o in outcomes if o.tool})),
    )


def values(outcomes: Iterable[Outcome], name: str) -> dict[str, list[float]]:
    """0 or 1 per scorable episode, by instance, of one of :data:`RATES`: what paired differences take."""
    test = RATES[name][1]
    return _by_instance([o for o in outcomes if not o.unscorable], lambda o: float(test(o)))


def percent(estimate: Estimate) -> str:
    """A rate in words: ``48.4% (36.6 to 60.4, n = 64)``."""
    if estimate.value is None:
        return "none"
    bounds = "" if estimate.low is None else f"{100 * estimate.low:.1f} to {100 * (estimate.high or 0):.1f}, "
    return f"{100 * estimate.value:.1f}% ({bounds}n = {estimate.n})"


def number(estimate: Estimate) -> str:
    """A mean in words: ``1.62 (1.40 to 1.85, n = 64)``."""
    if estimate.value is None:
        return "none"
    bounds = "" if estimate.low is None else f"{estimate.low:.2f} to {estimate.high:.2f}, "
    return f"{estimate.value:.2f} ({bounds}n = {estimate.n})"


def _share(outcomes: Iterable[Outcome], test: Test) -> Estimate:
    return rate(_by_instance(outcomes, test))


def _by_instance(outcomes: Iterable[Outcome], value: Callable[[Outcome], T]) -> dict[str, list[T]]:
    out: defaultdict[str, list[T]] = defaultdict(list)
    for outcome in outcomes:
        out[outcome.instance].append(value(outcome))
    return dict(out)


def _grouped(outcomes: Iterable[Outcome], attribute: str) -> dict[Any, list[Outcome]]:
    out: defaultdict[Any, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        out[getattr(outcome, attribute)].append(outcome)
    return dict(out)


def _pass_at(outcomes: Iterable[Outcome]) -> list[Metric]:
    """pass@k for powers of two up to the fewest samples of any instance; none with one sample each."""
    tries = _by_instance(outcomes, lambda o: o.verified)
    fewest = min((len(v) for v in tries.values()), default=0)
    ks = [k for k in (2, 4, 8, 16, 32, 64) if k <= fewest]
    return [
        Metric(
            f"pass@{k}",
            f"verified in at least one of {k}",
            mean({i: [pass_at_k(len(v), sum(v), k)] for i, v in tries.items()}),
        )
        for k in ks
    ]
