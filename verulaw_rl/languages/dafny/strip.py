"""Programs without annotations, and programs without bodies.

What :func:`strip_annotations` removes is what benchmarks remove: loop invariants, ``decreases`` of
loops and declarations (not ``decreases *``), asserts with their proofs, and calcs, wherever they stand.
Other ghost text stays. A line that becomes blank goes with what was on it, and so does a comment that
ends such a line, since it mostly explains what was removed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from verulaw_rl.languages.base import AnnotationKind, Span
from verulaw_rl.languages.dafny.syntax import METHOD_KINDS, Declaration
from verulaw_rl.languages.dafny.tokens import Lexed
from verulaw_rl.languages.dafny.view import Reading, read

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


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """The same characters as disjoint spans in order."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start, s.end)):
        if merged and span.start <= merged[-1].end:
            if span.end > merged[-1].end:
                merged[-1] = Span(merged[-1].start, span.end)
        elif span.end > span.start:
            merged.append(span)
    return merged


def remove_spans(lexed: Lexed, spans: Iterable[Span]) -> str:
    """The text without those spans, without the lines that become blank, and never joining two tokens."""
    source = lexed.source
    merged = merge_spans(spans)
    pieces: list[str] = []
    position = 0
    comment = 0
    index = 0
    while index < len(merged):
        first = merged[index]
        begin = lexed.line_starts[lexed.line(first.start) - 1]
        last_line = lexed.line(first.end - 1)
        after = index + 1
        while after < len(merged) and lexed.line(merged[after].start) <= last_line:
            last_line = lexed.line(merged[after].end - 1)
            after += 1
        group = merged[index:after]
        end = lexed.line_starts[last_line] if last_line < len(lexed.line_starts) else len(source)
        while comment < len(lexed.comments) and lexed.comments[comment].start < first.start:
            comment += 1
        trailing = []
        while comment < len(lexed.comments) and lexed.comments[comment].start < end:
            if lexed.comments[comment].end <= end:
                trailing.append(lexed.comments[comment])
            comment += 1
        index = after
        if begin >= position and not _without(source, begin, end, merge_spans([*group, *trailing])).strip():
            pieces.append(source[position:begin])
            position = end
            continue
        for span in group:
            kept = source[position : span.start]
            rest = source[span.end : end]
            if not rest.strip():
                kept = kept.rstrip(" \t")
            elif not kept[-1:].isspace() and not rest[:1].isspace():
                kept += " "
            pieces.append(kept)
            position = span.end
            if kept[-1:] in (" ", "\t", "\n", "\r", "(", "") and rest.strip():
                position += len(rest) - len(rest.lstrip(" \t"))
    pieces.append(source[position:])
    return "".join(pieces)


def _without(source: str, begin: int, end: int, spans: list[Span]) -> str:
    pieces = []
    position = begin
    for span in spans:
        pieces.append(source[position : max(position, span.start)])
        position = max(position, span.end)
    pieces.append(source[position:end])
    return "".join(pieces)
