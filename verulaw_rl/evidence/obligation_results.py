"""From what was run on a candidate to which obligations hold, and its other failures. Pure.

What was not shown to hold is undischarged: what stands behind a loop not proved to end, behind a
vacuous point, in a declaration that timed out, or beside a helper whose own proof fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from verulaw_rl.evidence.ablation import AblatedRun, called, offset
from verulaw_rl.evidence.checks import EXIT, SiteResult, clause_id, probe_id, vacuity_id
from verulaw_rl.evidence.evidence import Failure, ObligationResult
from verulaw_rl.languages.base import Category, DeclarationView, Point, ProgramView, Span
from verulaw_rl.suites.instance import Instance, Obligation
from verulaw_rl.verification.verdict import Diagnostic, Verdict


@dataclass(frozen=True)
class Settled:
    """All that was run on one candidate."""

    instance: Instance
    view: ProgramView
    plain: Verdict
    missing: frozenset[str]
    failed_additions: frozenset[str]
    """Names of declarations that the candidate adds and whose own proof fails."""
    run: AblatedRun | None = None
    """The instrumented run, where there was one."""

    def failures_in(self, declaration: str) -> list[Diagnostic]:
        """Failures of the plain run in a declaration."""
        return [d for d in self.plain.failures if d.declaration == declaration]

    def proved_whole(self, declaration: str) -> bool:
        """Whether the plain run proved the declaration, body and contract."""
        if declaration in self.missing or self.failures_in(declaration) or self._mentions_failed_addition(declaration):
            return False
        return not any(o.declaration == declaration and o.outcome != "verified" for o in self.plain.declarations)

    def out_of_reach(self, declaration: str) -> str:
        """Why nothing in the declaration counts as proved, or an empty string."""
        if declaration in self.missing:
            return "the declaration was not checked"
        if self.run is not None and declaration in self.run.given_up:
            return "its own annotations do not hold"
        if any(self.is_recursion(d) for d in self.failures_in(declaration)):
            return "its recursion is not proved to end"
        view = self.view.by_path.get(declaration)
        if view is not None and self._leans_on_failed_addition(view):
            return "it rests on a helper whose own proof fails"
        return ""

    def unproved_loops(self, declaration: str) -> set[int]:
        """Loops of the declaration that are not proved to end."""
        view = self.view.by_path.get(declaration)
        failing = [d for d in self.failures_in(declaration) if d.category is Category.TERMINATION]
        return {loop for d in failing if view and (loop := loop_of(self.view.source, view, d)) is not None}

    def is_recursion(self, d: Diagnostic) -> bool:
        """Whether a failure is of a recursive call that is not proved to end, rather than of a loop."""
        view = self.view.by_path.get(d.declaration or "")
        return d.category is Category.TERMINATION and (view is None or loop_of(self.view.source, view, d) is None)

    def unproved(self) -> tuple[str, ...]:
        """Declarations with obligations that the plain run did not prove."""
        required = dict.fromkeys(o.declaration for o in self.instance.obligations if o.declaration)
        return tuple(d for d in required if not self.proved_whole(d))

    def _mentions_failed_addition(self, declaration: str) -> bool:
        view = self.view.by_path.get(declaration)
        text = self.view.source[view.span.start : view.span.end] if view else ""
        return _mentions(text, self.failed_additions)

    def _leans_on_failed_addition(self, view: DeclarationView) -> bool:
        """Mentions, outside of droppable calls, an added declaration whose proof fails."""
        calls = [a.span for a in self.view.annotations if a.declaration == view.path and called(a)]
        return _mentions(_without(self.view.source, view.span, calls), self.failed_additions)


def _mentions(text: str, names: frozenset[str]) -> bool:
    return any(re.search(rf"(?<![\w'?]){re.escape(name)}(?![\w'?])", text) for name in names)


def _without(source: str, whole: Span, parts: list[Span]) -> str:
    out, at = [], whole.start
    for part in sorted(parts, key=lambda s: s.start):
        if part.start >= at:
            out.append(source[at : part.start])
            at = part.end
    return "".join([*out, source[at : whole.end]])


def loop_of(source: str, view: DeclarationView, d: Diagnostic) -> int | None:
    """Index of the loop whose keyword or clauses a diagnostic stands at; ``None`` for a recursive call."""
    at = offset(source, d.location.line, d.location.column)
    for loop in sorted(view.loops, key=lambda one: -one.span.start):
        head_end = loop.body.start if loop.body else loop.span.end
        if loop.span.start <= at < head_end:
            return loop.index
    return None


def obligation_results(settled: Settled) -> tuple[ObligationResult, ...]:
    """The instance's obligations and probes, each discharged or not, with the reason."""
    out = []
    for o in settled.instance.obligations:
        reason = _why_not(settled, o)
        out.append(ObligationResult(o.id, o.category, not reason, reason))
    for probe in settled.instance.probes:
        reason = settled.out_of_reach(probe.declaration)
        for k, point in enumerate(probe.points):
            reason = reason or _site_reason(settled, probe.declaration, point, probe_id(probe.id, k))
        out.append(ObligationResult(probe.id, probe.category, not reason, reason, is_probe=True))
    return tuple(out)


def _why_not(settled: Settled, o: Obligation) -> str:
    """Why an obligation is undischarged; empty when it was shown to hold."""
    if not o.declaration:
        return ""
    if settled.proved_whole(o.declaration):
        return ""
    failures = settled.failures_in(o.declaration)
    timed_out = any(
        x.declaration == o.declaration and x.outcome not in ("verified", "failed") for x in settled.plain.declarations
    )
    if o.category is Category.TERMINATION:
        mine = [d for d in failures if d.category is Category.TERMINATION]
        loops = settled.unproved_loops(o.declaration)
        if o.loop is not None:
            failed = o.loop in loops
        elif o.detail == "recursion":
            failed = len(mine) > len(loops) or any(settled.is_recursion(d) for d in mine)
        else:
            failed = bool(mine)
        return "not proved to end" if failed else (_reach(settled, o, timed_out))
    if o.category is Category.SAFETY:
        own = [d for d in (*failures, *_ablated(settled, o.declaration)) if d.category is Category.SAFETY]
        return own[0].message if own else _reach(settled, o, timed_out)
    if o.category is Category.ASSERTION:
        return _given_assertion(settled, o) or _reach(settled, o, timed_out)
    return settled.out_of_reach(o.declaration) or _postcondition(settled, o, failures)


def _ablated(settled: Settled, declaration: str) -> list[Diagnostic]:
    return [d for d in settled.run.failures if d.declaration == declaration] if settled.run else []


def _reach(settled: Settled, o: Obligation, timed_out: bool) -> str:
    """Whether the tool got to what shows no failure of its own."""
    return settled.out_of_reach(o.declaration) or ("the declaration timed out" if timed_out else "")


def _postcondition(settled: Settled, o: Obligation, failures: list[Diagnostic]) -> str:
    view = settled.view.by_path.get(o.declaration)
    if view is None:
        return "the declaration is gone"
    if o.clause is None or settled.run is None or clause_id(o.declaration, o.clause) not in settled.run.sites:
        return _function_postcondition(settled, view, o, failures)
    return _site_reason(settled, o.declaration, EXIT, clause_id(o.declaration, o.clause))


def _function_postcondition(settled: Settled, view: DeclarationView, o: Obligation, failures: list[Diagnostic]) -> str:
    """A function has no program points: its clauses are checked in order, each assumed behind its failure."""
    ensures = [c for c in view.clauses if c.kind == "ensures"]
    for d in failures:
        if d.category is not Category.POSTCONDITION:
            return "the function's body fails"
        where = d.related[0].location if d.related else d.location
        at = offset(settled.view.source, where.line, where.column)
        index = next((k for k, c in enumerate(ensures) if c.span.contains(at)), 0)
        if o.clause is None or index <= o.clause:
            return "the clause, or one before it, does not hold"
    return "" if failures else "the declaration was not proved"


def _site_reason(settled: Settled, declaration: str, point: Point, check: str) -> str:
    """Why a check does not count as proved at one of its sites."""
    sites = settled.run.sites.get(check) if settled.run else None
    if not sites:
        return "its program point is not there"
    vacuous = (settled.run.sites.get(vacuity_id(declaration, point)) if settled.run else None) or []
    loops = settled.unproved_loops(declaration)
    for number, site in enumerate(sites):
        reason = _one_site(site, vacuous[number] if number < len(vacuous) else None, loops)
        if reason == "vacuous" and _vacuous_in_reference(settled.instance, declaration, point, number):
            reason = ""
        if reason:
            return reason
    return ""


def _one_site(site: SiteResult, vacuous: SiteResult | None, loops: set[int]) -> str:
    if site.proved is None:
        return "the tool did not get to it"
    if not site.proved:
        return "does not hold"
    if loops & set(site.after_loops):
        return "stands behind a loop not proved to end"
    return "vacuous" if vacuous is not None and vacuous.proved is not False else ""


def _vacuous_in_reference(instance: Instance, declaration: str, point: Point, number: int) -> bool:
    index = number if point.kind == "exit" else point.index
    return any(v.declaration == declaration and v.point == Point(point.kind, index) for v in instance.vacuous)


def _given_assertion(settled: Settled, o: Obligation) -> str:
    view = settled.view.by_path.get(o.declaration)
    mine = [a for a in view.asserts if a.expression == o.detail] if view else []
    if not mine:
        return "the given assertion is gone"
    for d in settled.failures_in(o.declaration):
        at = offset(settled.view.source, d.location.line, d.location.column)
        if any(a.span.contains(at) for a in mine):
            return "does not hold"
    return ""


def other_failures(settled: Settled, verified: bool, results: tuple[ObligationResult, ...]) -> tuple[Failure, ...]:
    """Failures of the plain run that are no obligation of the instance: its own annotations', its helpers'.

    A program that does not verify always shows at least one thing undischarged (reward, property 2): where
    the tool names none, the failure is the program's as a whole.
    """
    own = tuple(
        Failure(d.category, d.declaration or "", d.location.line, d.message)
        for d in _not_obligations(settled)
        if d.category is not None
    )
    # Probes left out: what the agent is told of the rest must not depend on them.
    if not verified and not own and all(r.discharged for r in results if not r.is_probe):
        return (Failure(Category.SAFETY, "", 1, settled.plain.message or "the program does not verify"),)
    return own


def _not_obligations(settled: Settled) -> Iterator[Diagnostic]:
    obligations = settled.instance.obligations
    targets = {o.declaration for o in obligations}
    to_end = {o.declaration for o in obligations if o.category is Category.TERMINATION}
    given_asserts = {o.detail for o in obligations if o.category is Category.ASSERTION}
    safety_seen: set[str] = set()
    for d in settled.plain.failures:
        declaration = d.declaration or ""
        if declaration in targets:
            if d.category is Category.POSTCONDITION:
                continue
            if d.category is Category.TERMINATION and declaration in to_end:
                continue
            if d.category is Category.SAFETY and declaration not in safety_seen:
                safety_seen.add(declaration)
                continue
            if d.category is Category.ASSERTION and _assert_at(settled, d) in given_asserts:
                continue
        yield d


def _assert_at(settled: Settled, d: Diagnostic) -> str | None:
    """Expression of the assert statement that a diagnostic stands in."""
    view = settled.view.by_path.get(d.declaration or "")
    at = offset(settled.view.source, d.location.line, d.location.column)
    return next((a.expression for a in view.asserts if a.span.contains(at)), None) if view else None
