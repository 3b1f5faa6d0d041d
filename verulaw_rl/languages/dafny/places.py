"""Places in a Dafny program at which the grammar has room for more: statements, expressions, attributes, clauses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from verulaw_rl.languages.base import Span
from verulaw_rl.languages.dafny.syntax import Block, Declaration, Statement
from verulaw_rl.languages.dafny.view import Reading
from verulaw_rl.languages.lexed import Range


@dataclass(frozen=True, slots=True)
class Place:
    """An offset at which something may be inserted."""

    at: int
    ghost: bool
    """Whether what stands there leaves nothing in the compiled program."""
    declaration: Declaration


def statement_places(reading: Reading) -> Iterator[Place]:
    """Before each statement of every block, and at every block's end, at any depth."""
    tokens = reading.program.lexed.tokens
    for d in reading.declarations:
        for block in (d.block, d.by_method):
            if block is not None:
                yield from _in_block(reading, d, block, d.ghost and block is d.block)
        for s in d.embedded:
            yield Place(tokens[s.first].start, True, d)
            yield from _inside(reading, d, s, True)


def _in_block(reading: Reading, d: Declaration, block: Block, ghost: bool) -> Iterator[Place]:
    tokens = reading.program.lexed.tokens
    for s in block.statements:
        yield Place(tokens[s.first].start, ghost, d)
        yield from _inside(reading, d, s, ghost)
    if block.last > block.first:
        last = tokens[min(block.last, len(tokens)) - 1]
        yield Place(last.start if block.braced else last.end, ghost, d)


def _inside(reading: Reading, d: Declaration, s: Statement, ghost: bool) -> Iterator[Place]:
    below = ghost or reading.marks.is_proof(s)
    for e in s.embedded:
        yield Place(reading.program.lexed.tokens[e.first].start, True, d)
        yield from _inside(reading, d, e, True)
    for block in s.blocks:
        yield from _in_block(reading, d, block, below)


def statements(reading: Reading) -> Iterator[tuple[Declaration, Statement, bool]]:
    """Every statement at any depth, with its declaration and whether it is proof text."""
    for body in reading.bodies.values():
        for visit in body.visits:
            yield body.declaration, visit.statement, visit.in_proof


def expressions(reading: Reading) -> Iterator[tuple[Span, bool]]:
    """Expressions of statements and of loop clauses, and whether they are proof text."""
    for _, s, proof in statements(reading):
        for part in (s.expression, *s.values):
            if part.last > part.first:
                yield reading.span(*part), proof
        for step in s.steps:
            yield reading.span(*step.right), True
        for clause in s.clauses:
            if clause.kind == "invariant":
                yield reading.span(*clause.expression), True


def attribute_places(reading: Reading) -> Iterator[tuple[int, Literal["declaration", "clause", "statement"]]]:
    """Offsets behind keywords of declarations, of clauses, of asserts and of variable declarations."""
    tokens = reading.program.lexed.tokens
    for d in reading.declarations:
        if d.kind not in ("include", "import", "export", "field") and tokens[d.named_at].text == d.name:
            yield tokens[d.named_at].start, "declaration"
        for clause in d.clauses:
            yield tokens[clause.expression.first].start, "clause"
    for _, s, _ in statements(reading):
        for clause in s.clauses:
            yield tokens[clause.expression.first].start, "clause"
        if s.kind == "assert":
            yield tokens[s.keyword].end, "statement"
        elif s.kind == "var":
            keyword = s.keyword + (tokens[s.keyword].text == "ghost")
            yield tokens[keyword].end, "statement"


def declaration_places(reading: Reading) -> Iterator[tuple[int, str]]:
    """Offsets between declarations, with the kind of what holds them (``""`` at the top)."""
    tokens = reading.program.lexed.tokens
    yield len(reading.program.lexed.source), ""
    for d in reading.program.declarations:
        if d.kind != "include":
            yield tokens[d.first].start, ""
    for d in reading.declarations:
        if d.kind in ("module", "class", "trait", "datatype", "codatatype") and d.body is not None:
            yield tokens[d.body.first].end, d.kind


def clause_places(reading: Reading) -> Iterator[tuple[int, Literal["loop", "declaration"], Declaration]]:
    """Offsets before the bodies of loops and of declarations, where another clause may stand."""
    tokens = reading.program.lexed.tokens
    for d in reading.declarations:
        if d.callable and d.block is not None:
            yield tokens[d.block.first].start, "declaration", d
    for d, s, _ in statements(reading):
        if s.is_loop and s.blocks and s.operator != "case":
            yield tokens[s.blocks[0].first].start, "loop", d


def end_of(reading: Reading, part: Range) -> int:
    """Offset behind the last token of a range."""
    return reading.program.lexed.tokens[part.last - 1].end
