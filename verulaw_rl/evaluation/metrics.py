"""Evaluated episodes to a table of rates with intervals. Pure; the command, the trainer and reports call it.

Three things are never mixed: an episode that failed, one whose verifier ran out of its limits (counted as
failed, and left out of the rate in time), and one that could not be scored because the tool or the machine failed
(in no rate but the strict one, which counts it as failed).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from verulaw_rl.evaluation.outcome import Outcome
from verulaw_rl.evaluation.statistics import Estimate, mean, pass_at_k, rate

T = TypeVar("T")
Test = Callable[[Outcome], bool]


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of episodes: what is counted, and among which."""

    label: str
    test: Test
    among: Test = lambda o: not o.unscorable


def _scorable(more: Test) -> Test:
    return lambda o: not o.unscorable and more(o)


RATES: dict[str, Rate] = {
    "verified": Rate("verified", lambda o: o.verified),
    "verified_in_time": Rate("verified, timeouts left out", lambda o: o.verified, _scorable(lambda o: not o.timeout)),
    "verified_strict": Rate("verified, of all episodes", lambda o: o.verified, lambda o: True),
    "verified_direct": Rate("verified as handed in", lambda o: o.direct),
    "verified_assisted": Rate("verified only by the specialist", lambda o: o.assisted),
    "verified_and_probes": Rate("verified, and every hidden probe holds", lambda o: o.verified_and_probes),
    "first_submission": Rate("verified at the first submission", lambda o: o.first_verified),
    "retry": Rate(
        "after a failed first submission: submitted again",
        lambda o: o.submissions > 1,
        _scorable(lambda o: o.failed_first),
    ),
    "revision": Rate(
        "after a failed first submission: submitted another program",
        lambda o: o.revisions > 0,
        _scorable(lambda o: o.failed_first),
    ),
    "recovery": Rate(
        "after a failed first submission: verified in the end",
        lambda o: o.verified,
        _scorable(lambda o: o.failed_first),
    ),
    "no_submission": Rate("nothing submitted", lambda o: o.submissions == 0),
    "specification_changed": Rate("some submission changed the specification", lambda o: o.specification_changed),
    "proof_escape": Rate("some submission escaped its proof", lambda o: o.proof_escape),
    "assisted_lost": Rate("some program of the specialist lost something", lambda o: o.assisted_lost),
    "timeout": Rate("verifier ran out of its limits", lambda o: o.timeout),
}
"""Shares of episodes, by name. Retry, revision and recovery are those of the paper's analysis (appendix F.3)."""

MEANS: dict[str, tuple[str, Callable[[Outcome], float | None]]] = {
    "reward": ("reward", lambda o: o.reward),
    "obligation_ratio": ("obligation ratio of the best submission", lambda o: o.obligation_ratio),
    "turns": ("turns", lambda o: float(o.turns)),
    "submissions": ("submissions", lambda o: float(o.submissions)),
    "submissions_to_verify": ("submissions, where verified", lambda o: float(o.submissions) if o.verified else None),
    "sampled_tokens": ("sampled tokens", lambda o: None if o.sampled_tokens is None else float(o.sampled_tokens)),
}
"""Means over the scorable episodes that have a value: name, words, and the value."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One row of the table."""

    name: str
    label: str
    estimate: Estimate
    is_rate: bool = True


@dataclass(frozen=True, slots=True)
class AuditFailure:
    """One construct that the audit found."""

    construct: str
    """``specification: ...`` or ``proof: ...``."""
    submissions: int
    episodes: int


@dataclass(frozen=True, slots=True)
class Summary:
    """What an evaluation says."""

    episodes: int
    instances: int
    submissions: int
    unscorable: int
    """Episodes whose verdict failed through the tool or the machine: in no rate but the strict one."""
    timeouts: int
    """Scorable episodes that did not verify and ran out of the verifier's limits."""
    metrics: tuple[Metric, ...]
    by_family: dict[str, Estimate]
    """Verified rate."""
    by_difficulty: dict[int, Estimate]
    """Verified rate."""
    by_category: dict[str, Estimate]
    """Share of the obligations that the best submission discharges; mean over the instances that have any."""
    audit_failures: tuple[AuditFailure, ...]
    """Most submissions first."""
    end_reasons: dict[str, int]
    """Episodes, most first."""
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
            "submissions": self.submissions,
            "unscorable": self.unscorable,
            "timeouts": self.timeouts,
            "tools": list(self.tools),
            "metrics": {m.name: asdict(m.estimate) for m in self.metrics},
            "by_family": {k: asdict(v) for k, v in self.by_family.items()},
            "by_difficulty": {str(k): asdict(v) for k, v in self.by_difficulty.items()},
            "by_category": {k: asdict(v) for k, v in self.by_category.items()},
            "audit_failures": [asdict(f) for f in self.audit_failures],
            "end_reasons": self.end_reasons,
        }


def summarise(outcomes: Sequence[Outcome]) -> Summary:
    """The table of one evaluation."""
    scorable = [o for o in outcomes if not o.unscorable]
    metrics = [Metric(name, r.label, _share(outcomes, r)) for name, r in RATES.items()]
    metrics += _pass_at(scorable)
    turns = {p: [n < o.invalid_turns for o in own for n in range(o.turns)] for p, own in _programs(scorable).items()}
    metrics.append(Metric("invalid_turns", "turns without a valid action", rate(turns)))
    metrics += [Metric(n, label, mean(_values(scorable, value)), is_rate=False) for n, (label, value) in MEANS.items()]
    return Summary(
        episodes=len(outcomes),
        instances=len({o.instance for o in outcomes}),
        submissions=sum(o.submissions for o in outcomes),
        unscorable=len(outcomes) - len(scorable),
        timeouts=sum(o.timeout for o in scorable),
        metrics=tuple(m for m in metrics if m.estimate.n or m.name in ALWAYS),
        by_family=_verified_by(scorable, "family"),
        by_difficulty=_verified_by(scorable, "difficulty"),
        by_category=_by_category(scorable),
        audit_failures=_audit_failures(outcomes),
        end_reasons=dict(Counter(o.end_reason for o in outcomes).most_common()),
        tools=tuple(sorted({o.tool for o in outcomes if o.tool})),
    )


ALWAYS = ("verified", "verified_in_time", "verified_strict", "verified_and_probes", "reward")
"""Metrics that are shown even where nothing is to be counted."""


def values(outcomes: Iterable[Outcome], name: str) -> dict[str, list[float]]:
    """0 or 1 per episode that counts, by instance, of one of :data:`RATES`: what paired differences take."""
    chosen = RATES[name]
    return _by(outcomes, "instance", lambda o: float(chosen.test(o)) if chosen.among(o) else None)


def mean_values(outcomes: Iterable[Outcome], name: str) -> dict[str, list[float]]:
    """Value per scorable episode, by instance, of one of :data:`MEANS`."""
    return _by([o for o in outcomes if not o.unscorable], "instance", MEANS[name][1])


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


def _share(outcomes: Iterable[Outcome], chosen: Rate) -> Estimate:
    return rate(_by(outcomes, "program", lambda o: chosen.test(o) if chosen.among(o) else None))


def _values(outcomes: Iterable[Outcome], value: Callable[[Outcome], float | None]) -> dict[str, list[float]]:
    return _by(outcomes, "program", value)


def _by(outcomes: Iterable[Outcome], attribute: str, value: Callable[[Outcome], T | None]) -> dict[Any, list[T]]:
    """Values by an attribute, episodes without a value left out."""
    out: defaultdict[Any, list[T]] = defaultdict(list)
    for outcome in outcomes:
        if (own := value(outcome)) is not None:
            out[getattr(outcome, attribute)].append(own)
    return dict(out)


def _programs(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    return _by(outcomes, "program", lambda o: o)


def _verified_by(outcomes: Iterable[Outcome], attribute: str) -> dict[Any, Estimate]:
    groups: dict[Any, list[Outcome]] = _by(outcomes, attribute, lambda o: o)
    return {key: _share(own, RATES["verified"]) for key, own in sorted(groups.items())}


def _by_category(outcomes: Iterable[Outcome]) -> dict[str, Estimate]:
    outcomes = list(outcomes)
    categories = sorted({category for o in outcomes for category in o.obligations})
    return {c: mean(_values(outcomes, lambda o, c=c: o.obligations.get(c))) for c in categories}  # type: ignore[misc]


def _audit_failures(outcomes: Iterable[Outcome]) -> tuple[AuditFailure, ...]:
    submissions: Counter[str] = Counter()
    episodes: Counter[str] = Counter()
    for outcome in outcomes:
        submissions.update(construct for found in outcome.findings for construct in found)
        episodes.update({construct for found in outcome.findings for construct in found})
    return tuple(AuditFailure(name, n, episodes[name]) for name, n in submissions.most_common())


def _pass_at(outcomes: Iterable[Outcome]) -> list[Metric]:
    """pass@k for powers of two, and the fewest samples of any instance; none with one sample each."""
    outcomes = list(outcomes)
    program = {o.instance: o.program for o in outcomes}
    tries: Mapping[str, list[bool]] = _by(outcomes, "instance", lambda o: o.verified)
    fewest = min((len(v) for v in tries.values()), default=0)
    metrics = []
    for k in sorted({k for k in (2, 4, 8, 16, 32, 64) if k <= fewest} | ({fewest} if fewest > 1 else set())):
        passed: defaultdict[str, list[float]] = defaultdict(list)
        for instance, own in tries.items():
            passed[program[instance]].append(pass_at_k(len(own), sum(own), k))
        settled = all(value in (0.0, 1.0) for own in passed.values() for value in own)
        estimate = rate({p: [value == 1.0 for value in own] for p, own in passed.items()}) if settled else mean(passed)
        metrics.append(Metric(f"pass@{k}", f"pass@{k}: verified in at least one of {k}", estimate))
    return metrics
