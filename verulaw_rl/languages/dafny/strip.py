"""Programs without annotations, and programs without bodies.

What :func:`strip_annotations` removes is what benchmarks remove: loop invariants, ``decreases`` of
loops and declarations (not ``decreases *``), asserts with their proofs, and calcs, wherever they stand.
Other ghost text stays.
"""

from __future__ import annotations

from bisect import bisect_right

from verulaw_rl.languages.base import AnnotationKind, Span
from verulaw_rl.languages.dafny.syntax import METHOD_KINDS, Declaration
from verulaw_rl.languages.dafny.view import Reading, read
from verulaw_rl.languages.spans import merge_spans, remove_spans

_BEFORE_LABEL = frozenset({"reveal", "@", "break", ","})
_REMOVED = frozenset({AnnotationKind.INVARIANT, AnnotationKind.DECREASES, AnnotationKind.ASSERT, AnnotationKind.CALC})


def strip_annotations(source: str) -> str:
    """The program without invariants, decreases, asserts and calcs."""
    reading = read(source)
    spans = {a.span.start: a.span for a in reading.view.annotations if a.kind in _REMOVED}
    for start in _labels_needed(reading, spans):
        del spans[start]
    return remove_spans(reading.program.lexed, spans.values())


def strip_bodies(source: str) -> str:
    """The program without bodies of methods, constructors, lemmas and iterators; contracts stay."""
    reading = read(source)
    bodies = [d.block for d in reading.declarations if has_strippable_body(d) and d.block is not None]
    return remove_spans(reading.program.lexed, [reading.span(b.first, b.last) for b in bodies])


def has_strippable_body(d: Declaration) -> bool:
    """Whether :func:`strip_bodies` removes something from the declaration."""
    return d.kind in METHOD_KINDS and d.block is not None


def _labels_needed(reading: Reading, spans: dict[int, Span]) -> set[int]:
    """Starts of spans of labelled asserts whose label is needed (``reveal L``, ``old@L``) by text that stays."""
    lexed = reading.program.lexed
    needed: set[int] = set()
    for body in reading.bodies.values():
        labelled = {
            lexed.tokens[v.statement.first].start: v.statement.label
            for v in body.visits
            if v.statement.label is not None
        }
        labelled = {start: label for start, label in labelled.items() if start in spans}
        while labelled:
            removed = merge_spans(span for start, span in spans.items() if start not in needed)
            starts = [s.start for s in removed]
            used: set[str] = set()
            for i in range(body.declaration.first + 1, body.declaration.last):
                if lexed.tokens[i - 1].text in _BEFORE_LABEL:
                    at = bisect_right(starts, lexed.tokens[i].start) - 1
                    if at < 0 or not removed[at].contains(lexed.tokens[i].start):
                        used.add(lexed.tokens[i].text)
            more = {start for start, label in labelled.items() if label in used and start not in needed}
            if not more:
                break
            needed |= more
    return needed
