"""What of a candidate's own proof may be relied on: its annotations less those that fail.

A verifier assumes a check behind it even when it failed, so a false ``assert goal`` or ``invariant goal``
would seem to prove what follows. Obligations are therefore checked in the candidate *without* its failing
annotations; when others fail for want of them, those go too, until what remains holds by itself (the
greatest set of the candidate's annotations that are inductive together, as in Houdini). Stating more
than one can prove then never pays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from verulaw_rl.evidence.checks import SiteResult, in_sites, read_sites
from verulaw_rl.languages.base import Annotation, AnnotationKind, Check, Instrumented, Language, ProgramView, Span
from verulaw_rl.verification.verdict import Diagnostic, Status, Verdict

Verifier = Callable[[str], Verdict]
"""Verifies one program text."""

MAX_ROUNDS = 4
"""Rounds of dropping before the declarations that still fail are given up as undischarged."""

_CALL = re.compile(r"(?!(?:if|while|for|forall|match)\b)[A-Za-z_][\w'?.]*(?=\s*(<[^;]*>)?\s*\()")
_DROPPABLE = (AnnotationKind.INVARIANT, AnnotationKind.ASSERT, AnnotationKind.CALC)


@dataclass(frozen=True, slots=True)
class AblatedRun:
    """The last instrumented run and what it was run on."""

    sites: dict[str, list[SiteResult]]
    failures: tuple[Diagnostic, ...]
    """Failures of the candidate's own text in that run, our checks apart."""
    given_up: frozenset[str]
    """Declarations of which nothing could be established."""
    calls: int
    verdict: Verdict | None


def droppable(annotation: Annotation) -> bool:
    """Whether the annotation can go without making the program invalid: assertions, invariants, lemma calls."""
    return annotation.kind in _DROPPABLE or called(annotation) is not None


def called(annotation: Annotation) -> str | None:
    """Name that a ghost call statement calls, last part only; ``None`` for any other annotation."""
    if annotation.kind is not AnnotationKind.GHOST:
        return None
    found = _CALL.match(annotation.text.strip())
    return found.group().rsplit(".", 1)[-1] if found else None


def offset(source: str, line: int, column: int) -> int:
    """Character offset of a 1-based line and 0-based column."""
    start = 0
    for _ in range(line - 1):
        found = source.find("\n", start)
        if found < 0:
            break
        start = found + 1
    return start + column


def annotation_at(view: ProgramView, diagnostic: Diagnostic) -> Annotation | None:
    """The innermost annotation in which a diagnostic stands."""
    at = offset(view.source, diagnostic.location.line, diagnostic.location.column)
    inside = [a for a in view.annotations if a.span.contains(at)]
    return min(inside, key=lambda a: a.span.end - a.span.start, default=None)


def failing_annotations(view: ProgramView, failures: Iterable[Diagnostic], failed_lemmas: frozenset[str]) -> set[Span]:
    """Spans of annotations that fail, and of calls to added lemmas whose own proof fails."""
    out = {a.span for d in failures if (a := annotation_at(view, d)) is not None and droppable(a)}
    out |= {a.span for a in view.annotations if called(a) in failed_lemmas}
    return out


def run_ablated(
    language: Language,
    view: ProgramView,
    checks: tuple[Check, ...],
    drop: set[Span],
    verify: Verifier,
) -> AblatedRun:
    """Verify the candidate with checks and without its failing annotations, to a fixed point.

    Args:
        language: of the candidate.
        view: the candidate.
        checks: what to check.
        drop: annotations that already failed in the plain run.
        verify: verifies one program text.
    """
    drop, calls = set(drop), 0
    for last in (False,) * (MAX_ROUNDS - 1) + (True,):
        instrumented, verdict, used = _verify_instrumented(language, view.source, checks, drop, verify)
        calls += used
        if instrumented is None or verdict is None or verdict.status is Status.ERROR:
            everything = frozenset(d.path for d in view.declarations)
            return AblatedRun({}, (), everything, calls, verdict)
        own = tuple(d for d in verdict.failures if not in_sites(instrumented, d))
        newly = _in_original(language, view, drop, instrumented, own)
        if not newly or last:
            lost = own if newly is None or newly else ()
            given_up = frozenset(d.declaration or "" for d in lost)
            return AblatedRun(read_sites(instrumented, verdict), own, given_up, calls, verdict)
        drop |= newly
    raise AssertionError("unreachable: the last round returns")


def _verify_instrumented(
    language: Language, program: str, checks: tuple[Check, ...], drop: set[Span], verify: Verifier
) -> tuple[Instrumented | None, Verdict | None, int]:
    """Verify with checks; those that do not resolve in this candidate are taken out."""
    verdict = None
    for attempt in range(1, 4):
        instrumented = language.instrument(program, checks, tuple(sorted(drop, key=lambda s: s.start)))
        verdict = verify(instrumented.text)
        if verdict.status is not Status.INVALID:
            return instrumented, verdict, attempt
        lines = {d.location.line for d in verdict.diagnostics if d.severity == "error"}
        bad = {s.check for s in instrumented.sites if any(s.first_line <= n <= s.last_line for n in lines)}
        if not bad:
            break
        checks = tuple(c for c in checks if c.id not in bad)
    return None, verdict, attempt


def _in_original(
    language: Language, view: ProgramView, drop: set[Span], instrumented: Instrumented, failures: tuple[Diagnostic, ...]
) -> set[Span] | None:
    """Spans, in the candidate, of the annotations that failed in the instrumented text.

    Both texts hold the same annotations in the same order once the dropped ones and our checks are left
    out. ``None`` when that correspondence is lost.
    """
    if not failures:
        return set()
    inner = language.parse(instrumented.text)
    lines = [(s.first_line, s.last_line) for s in instrumented.sites]
    there = [a for a in inner.annotations if not any(low <= a.line <= high for low, high in lines)]
    here = [a for a in view.annotations if not any(s.start <= a.span.start < s.end for s in drop)]
    if [a.kind for a in there] != [a.kind for a in here]:
        return None
    original = {a.span: b.span for a, b in zip(there, here, strict=True)}
    failing = {a.span for d in failures if (a := annotation_at(inner, d)) is not None and droppable(a)}
    return {original[span] for span in failing if span in original}
