"""Removing stretches of a text: what is left reads as if they had never been there.

A line that becomes blank goes with what was on it, and so does a comment that ends such a line, since it
mostly explains what was removed. ``strip`` of each language calls :func:`remove_spans`.
"""

from __future__ import annotations

from collections.abc import Iterable

from verulaw_rl.languages.base import Span
from verulaw_rl.languages.lexed import Lexed


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
