"""Programs without annotations, and programs without bodies.

:func:`strip_annotations` removes what benchmarks remove: invariants (permissions and ``MustTerminate`` among
them), assertions, ``Fold`` and ``Unfold``. Calls of ghost methods and ghost variables stay. Contracts stay whole,
``Decreases`` too: it is what asks Nagini for a proof that a function ends, so that without it the task would be
another. :func:`strip_bodies` leaves ``pass`` for the body of each method; constructors keep theirs, which
declare the fields that contracts speak of, and so do pure functions and predicates.

Comments that only mark where something stood (``# assert-start``, ``# assert-end``) go with it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable

from verulaw_rl.languages.base import Span
from verulaw_rl.languages.nagini.program import Definition
from verulaw_rl.languages.nagini.source import Source, read_source
from verulaw_rl.languages.nagini.view import Reading, read
from verulaw_rl.languages.nagini.words import STRIPPED_CALLS, blocks, is_no_op, statement_call
from verulaw_rl.languages.spans import remove_spans

_EMPTY_MARKERS = re.compile(
    r"^[ \t]*#[ \t]*(?P<what>[\w-]+)-start[ \t]*(?:\r?\n[ \t]*)*\r?\n[ \t]*#[ \t]*(?P=what)-end[ \t]*(?:\r?\n|\Z)",
    re.MULTILINE,
)


def strip_annotations(text: str) -> str:
    """The program without invariants, assertions, folds and unfolds."""
    reading = read(text)
    stripped = remove_statements(reading, lambda s: _stripped(reading, s))
    return _EMPTY_MARKERS.sub("", stripped) if stripped != text else text


def strip_bodies(text: str) -> str:
    """The program with ``pass`` for the bodies of its methods."""
    reading = read(text)
    edits: list[tuple[Span, str]] = []
    for d in reading.definitions:
        if has_strippable_body(d):
            block = d.implementation
            start, end = reading.source.span(block[0]).start, reading.source.end(block[-1])
            edits.append((Span(start, end), "pass"))
    return replace_spans(text, edits)


def has_strippable_body(d: Definition) -> bool:
    """Whether :func:`strip_bodies` removes something from the definition."""
    return d.kind == "method" and not d.trusted and not d.placeholder


def strippable_paths(text: str) -> frozenset[str]:
    """Paths of the definitions that :func:`strip_bodies` removes something from."""
    return frozenset(d.path for d in read(text).definitions if has_strippable_body(d))


def _stripped(reading: Reading, s: ast.stmt) -> bool:
    """Whether a statement is one of those that benchmarks remove."""
    if isinstance(s, ast.Assert) or statement_call(s) in STRIPPED_CALLS:
        return True
    if isinstance(s, ast.If) and any(id(s) in proof.nodes for proof in reading.proofs.values()):
        return all(_stripped(reading, inner) or is_no_op(inner) for block in blocks(s) for inner in block)
    return False


def remove_statements(reading: Reading, unwanted: Callable[[ast.stmt], bool]) -> str:
    """The program without some statements of its methods; a block that loses all of them gets ``pass``."""
    source = reading.source
    removed: list[Span] = []
    emptied: list[Span] = []

    def visit(block: list[ast.stmt], may_be_empty: bool) -> None:
        kept = [s for s in block if not unwanted(s)]
        for k, s in enumerate(block):
            if unwanted(s):
                span = _with_separator(source, block, k)
                if not kept and k == 0 and not may_be_empty:
                    emptied.append(source.span(s))
                else:
                    removed.append(span)
            else:
                for inner in blocks(s):
                    visit(inner, False)

    for d in reading.definitions:
        if d.is_method:
            visit(d.implementation, d.head > 0)
    text = remove_spans(source.lexed, removed) if removed else source.text
    if not emptied:
        return text
    return _with_pass(reading, removed, emptied)


def _with_pass(reading: Reading, removed: list[Span], emptied: list[Span]) -> str:
    marked = replace_spans(reading.source.text, [(s, "pass") for s in emptied])
    shift = _Shift(emptied)
    return remove_spans(read_source(marked).lexed, [Span(shift(s.start), shift(s.end)) for s in removed])


class _Shift:
    """Where an offset of a text is once some spans have become ``pass``."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans = sorted(spans, key=lambda s: s.start)

    def __call__(self, offset: int) -> int:
        return offset + sum(len("pass") - (s.end - s.start) for s in self._spans if s.end <= offset)


def _with_separator(source: Source, block: list[ast.stmt], index: int) -> Span:
    """A statement and the semicolon that parts it from its neighbour on the same line."""
    span = source.span(block[index])
    if index + 1 < len(block):
        following = source.span(block[index + 1]).start
        if ";" in source.text[span.end : following] and "\n" not in source.text[span.end : following]:
            return Span(span.start, following)
    line_end = source.text.find("\n", span.end)
    rest = source.text[span.end : line_end if line_end >= 0 else len(source.text)]
    if rest.lstrip().startswith(";"):
        return Span(span.start, span.end + rest.index(";") + 1)
    if index > 0:
        before = source.end(block[index - 1])
        if ";" in source.text[before : span.start] and "\n" not in source.text[before : span.start]:
            return Span(before, span.end)
    return span


def replace_spans(text: str, edits: Iterable[tuple[Span, str]]) -> str:
    """The text with each span replaced; spans are disjoint."""
    pieces: list[str] = []
    position = 0
    for span, new in sorted(edits, key=lambda e: e[0].start):
        pieces += [text[position : span.start], new]
        position = span.end
    return "".join([*pieces, text[position:]])


def remove_annotations_at(text: str, drop: Iterable[Span]) -> str:
    """The program without the statements of proof text that have exactly these spans."""
    reading = read(text)
    wanted = {(s.start, s.end) for s in drop}

    def unwanted(s: ast.stmt) -> bool:
        span = reading.source.span(s)
        return (span.start, span.end) in wanted

    return remove_statements(reading, unwanted)
