"""Why a candidate scored what it scored: obligations, probes, findings in a diff, and the arithmetic. Pure.

From recorded or fresh evidence alone; with the instance at hand also what each obligation is about, and the diff
against the given. ``verulaw-rl explain`` prints it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from verulaw_rl.config.episode import EpisodeTerms
from verulaw_rl.episodes.record import EpisodeRecord, summarise
from verulaw_rl.episodes.value import wasted_penalty
from verulaw_rl.evidence.evidence import Evidence, Failure, Message, ObligationResult
from verulaw_rl.evidence.reward import Reward, Score
from verulaw_rl.lab.arithmetic import Term, is_obligation_reward, terms_of
from verulaw_rl.lab.diff import DiffLine, around, is_of_given, numbered_diff
from verulaw_rl.languages.base import Category
from verulaw_rl.suites.instance import Instance


@dataclass(frozen=True, slots=True)
class Checked:
    """One obligation or probe."""

    id: str
    category: Category
    about: str
    """Its clause or fact, where the instance is known."""
    discharged: bool
    reason: str
    """Why not."""
    diagnostics: tuple[str, ...]
    """Messages of the verifier on the candidate, each with its line, that speak of it."""


@dataclass(frozen=True, slots=True)
class Place:
    """One finding of the audit, in the diff against the given."""

    kind: str
    construct: str
    declaration: str
    line: int
    in_given: bool
    """Whether ``line`` is one of the given: what is found missing is in the candidate no more."""
    message: str
    advice: str
    diff: tuple[DiffLine, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """One submission, explained."""

    instance: str
    status: str | None
    verified: bool
    reward: str
    score: Score
    obligations: tuple[Checked, ...]
    probes: tuple[Checked, ...]
    failures: tuple[Failure, ...]
    """The candidate's own: they count against their category."""
    missing: tuple[str, ...]
    """Declarations that the tool did not check."""
    findings: tuple[Place, ...]
    terms: tuple[Term, ...]
    """What each category contributes; empty where the score does not come from the obligations."""
    arithmetic: tuple[str, ...]
    """The sum, in lines."""


def explain(
    evidence: Evidence, reward: Reward, candidate: str | None = None, instance: Instance | None = None
) -> Explanation:
    """Explain one submission.

    Args:
        evidence: what is known of it.
        reward: what scores it.
        candidate: its text, for the places of findings.
        instance: what it is measured by, for what obligations say and for the diff.
    """
    score = reward.score(evidence)
    by_obligations = is_obligation_reward(reward) and "obligation_ratio" in score.components
    terms = terms_of(evidence, reward.weights) if by_obligations else ()
    diff = numbered_diff(instance.given if instance else candidate or "", candidate or "")
    about = {o.id: o.detail for o in instance.obligations} if instance else {}
    about |= {p.id: p.expression for p in instance.probes} if instance else {}
    declarations = {o.id: o.declaration for o in instance.obligations} if instance else {}
    checked = [
        Checked(
            r.id, r.category, about.get(r.id, ""), r.discharged, r.reason,
            () if r.discharged else _diagnostics(r, declarations.get(r.id), evidence.messages),
        )
        for r in evidence.results
    ]  # fmt: skip
    probes = {r.id for r in evidence.results if r.is_probe}
    return Explanation(
        instance=evidence.instance,
        status=evidence.status.value if evidence.status else None,
        verified=evidence.verified,
        reward=str(reward.path),
        score=score,
        obligations=tuple(c for c in checked if c.id not in probes),
        probes=tuple(c for c in checked if c.id in probes),
        failures=evidence.failures,
        missing=evidence.missing,
        findings=tuple(
            Place(
                f.kind.value, f.construct, f.declaration, f.line, is_of_given(f), f.message, f.advice,
                around(diff, f.line, is_of_given(f)),
            )
            for f in evidence.findings
        ),
        terms=terms,
        arithmetic=tuple(_sum_of(score, terms)),
    )  # fmt: skip


def episode_arithmetic(record: EpisodeRecord, terms: EpisodeTerms) -> tuple[str, ...]:
    """How the scores of an episode's submissions and its wasted turns come to its reward, in lines."""
    lines = []
    for number, turn in enumerate(record.turns, start=1):
        if turn.action != "submit":
            continue
        best = turn.best_score
        total = "unscorable" if best is None or best.total is None else _figure(best.total)
        lines.append(f"turn {number}: {total}{', unchanged' if turn.unchanged else ''}")
    wasted = sum(t.wasted for t in record.turns)
    summary = summarise(record.turns, terms)
    if summary.reward is None:
        return (*lines, "reward: none, for nothing that was submitted can be scored")
    penalty = wasted_penalty(wasted, terms)
    first = (
        f"best submission {_figure(summary.reward - penalty)}" if lines else f"no submission {terms.no_submission:g}"
    )
    second = f", {wasted} wasted turns {penalty:+g}" if wasted else ""
    return (*lines, f"reward: {first}{second} = {_figure(summary.reward)}")


def _diagnostics(result: ObligationResult, declaration: str | None, messages: Sequence[Message]) -> tuple[str, ...]:
    """Messages of the obligation's declaration and category; where the text itself is invalid, all its errors.

    None for a probe: the verifier's messages are about the candidate, which never names it.
    """
    if result.is_probe:
        return ()
    if declaration is None:
        declaration = result.id.split(":")[1] if ":" in result.id else ""
    general = [m for m in messages if m.category is None]
    mine = [m for m in messages if m.category is result.category and m.declaration == declaration]
    return tuple(dict.fromkeys(_said(general or mine)))


def _said(messages: Iterable[Message]) -> Iterable[str]:
    return (f"line {m.line}: {m.message}" + (f" ({m.clause})" if m.clause else "") for m in messages)


def _sum_of(score: Score, terms: Sequence[Term]) -> Iterable[str]:
    if terms:
        scale = sum(t.weight for t in terms)
        parts = " + ".join(f"{t.weight:g}·{t.discharged}/{t.total}" for t in terms)
        yield f"r = ({parts}) / {scale:g} = {_figure(score.components['obligation_ratio'])}"
    if score.total is None:
        yield f"score: none ({score.outcome})"
        return
    own = {"obligation_ratio": "r"}
    shown = {t.category for t in terms}
    pieces = [f"{own.get(n, n)} {_figure(v)}" for n, v in score.components.items() if n not in shown]
    sign = " + " if terms else ", "
    yield f"score: {sign.join(pieces) or 'no components'} = {_figure(score.total)} ({score.outcome})"


def _figure(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")
