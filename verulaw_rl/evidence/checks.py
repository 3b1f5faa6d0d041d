"""Which checks a candidate gets, and what an instrumented run says of them. Pure.

Each contract clause, probe and vacuity check is a formula at a program point, isolated there by the
language. Every point with a check also gets the check ``false``: where that is *proved*, everything
is, and nothing proved there counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from verulaw_rl.languages.base import FALSE, Check, DeclarationView, Instrumented, Point
from verulaw_rl.suites.instance import Probe
from verulaw_rl.verification.verdict import Diagnostic, Verdict

EXIT = Point("exit")


@dataclass(frozen=True, slots=True)
class SiteResult:
    """One place of one check. ``proved`` is ``None`` where the tool did not get to it."""

    proved: bool | None
    after_loops: tuple[int, ...]


def clause_checks(declaration: DeclarationView) -> list[Check]:
    """One check per postcondition, at every exit of the declaration."""
    ensures = [c for c in declaration.clauses if c.kind == "ensures"]
    return [Check(clause_id(declaration.path, k), declaration.path, EXIT, c.expression) for k, c in enumerate(ensures)]


def probe_checks(probe: Probe) -> list[Check]:
    """One check per point of the probe."""
    return [
        Check(probe_id(probe.id, k), probe.declaration, point, probe.expression) for k, point in enumerate(probe.points)
    ]


def with_vacuity(checks: Iterable[Check]) -> tuple[Check, ...]:
    """The checks, and ``false`` once at each of their points."""
    out = list(checks)
    points = dict.fromkeys((c.declaration, c.point) for c in out if c.expression != FALSE)
    out += [vacuity_check(declaration, point) for declaration, point in points]
    return tuple(dict.fromkeys(out))


def vacuity_check(declaration: str, point: Point) -> Check:
    """``false`` at a point."""
    return Check(vacuity_id(declaration, point), declaration, point, FALSE)


def clause_id(declaration: str, index: int) -> str:
    """Id of a postcondition's check."""
    return f"clause|{declaration}|{index}"


def probe_id(probe: str, index: int) -> str:
    """Id of the check of a probe at its ``index``-th point."""
    return f"probe|{probe}|{index}"


def vacuity_id(declaration: str, point: Point) -> str:
    """Id of the vacuity check at a point."""
    return f"vacuous|{declaration}|{point.kind}|{point.index}"


def read_sites(instrumented: Instrumented, verdict: Verdict) -> dict[str, list[SiteResult]]:
    """What the run says of every site, by check id, sites in source order.

    A site is refuted by a failure on its lines; it is undecided where the declaration timed out or the
    list of failures was cut short; otherwise the check was proved there.
    """
    failing = sorted(d.location.line for d in verdict.diagnostics if d.severity == "error" and d.category is not None)
    undecided = {o.declaration for o in verdict.declarations if o.outcome not in ("verified", "failed")}
    cut_short = not verdict.complete and not undecided
    out: dict[str, list[SiteResult]] = {}
    for site in instrumented.sites:
        refuted = any(site.first_line <= line <= site.last_line for line in failing)
        proved = False if refuted else (None if cut_short or site.declaration in undecided else True)
        out.setdefault(site.check, []).append(SiteResult(proved, site.after_loops))
    return out


def in_sites(instrumented: Instrumented, diagnostic: Diagnostic) -> bool:
    """Whether a diagnostic is about one of our checks rather than about the candidate."""
    line = diagnostic.location.line
    return any(site.first_line <= line <= site.last_line for site in instrumented.sites)
