"""Facts of a reference proof that a given program lacks, as hidden checks at points that executable text fixes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from verulaw_rl.languages.base import AnnotationKind, AnnotationProbe, Category, Point
from verulaw_rl.languages.dafny.instrument import one_line
from verulaw_rl.languages.dafny.syntax import METHOD_KINDS, Statement
from verulaw_rl.languages.dafny.view import Body, Reading, read
from verulaw_rl.languages.lexed import Range, TokenKind


@dataclass(frozen=True, slots=True)
class _Fact:
    """One annotation of a compiled body; ``provable`` is false where it states nothing that is proved."""

    category: Category
    declaration: str
    points: tuple[Point, ...]
    operands: tuple[Range, ...]
    operator: str
    canonical: str
    provable: bool = True

    @property
    def key(self) -> tuple[Category, str, Point, str]:
        return (self.category, self.declaration, self.points[0], self.canonical)


def probes(reference: str, given: str) -> tuple[AnnotationProbe, ...]:
    """One probe for each invariant, assert and calc step of compiled bodies that only the reference has.

    Left out: proof text inside lemmas and inside other proof statements (nothing fixes its place),
    ``free`` invariants (never proved), and facts about ghost variables or labels that only the
    reference has.
    """
    ours, theirs = read(reference), read(given)
    known = Counter(fact.key for body in _bodies(theirs) for fact in _facts(theirs, body))
    found: list[AnnotationProbe] = []
    for body in _bodies(ours):
        hidden = _ghost_names(ours, body.declaration.path) - _ghost_names(theirs, body.declaration.path)
        for fact in _facts(ours, body):
            if known[fact.key] > 0:
                known[fact.key] -= 1
            elif fact.provable and not _mentions(ours, fact.operands, hidden):
                found.append(AnnotationProbe(fact.category, fact.declaration, fact.points, _text(ours, fact)))
    return tuple(found)


def _bodies(reading: Reading) -> Iterator[Body]:
    for d in reading.declarations:
        if d.kind in METHOD_KINDS and d.block is not None and not d.ghost:
            yield reading.bodies[id(d)]


def _facts(reading: Reading, body: Body) -> Iterator[_Fact]:
    path, lexed = body.declaration.path, reading.program.lexed
    fixed = {id(v.statement) for v in body.visits if not v.in_proof}
    for index, loop in enumerate(body.loops):
        for c in loop.clauses:
            if c.kind == "invariant" and id(loop) in fixed:
                points = (Point("loop_head", index), Point("after_loop", index))
                text = lexed.canonical(*c.expression)
                yield _Fact(Category.INVARIANT, path, points, (c.expression,), "", text, not c.free)
    point_at = {
        a.span.start: a.point
        for a in reading.annotations_of(path)
        if a.kind in (AnnotationKind.ASSERT, AnnotationKind.CALC)
    }
    for visit in body.visits:
        s = visit.statement
        point = point_at.get(lexed.tokens[s.first].start) if s.kind in ("assert", "calc") else None
        if point is not None:
            yield from _statement_facts(reading, path, s, point)


def _statement_facts(reading: Reading, path: str, s: Statement, point: Point) -> Iterator[_Fact]:
    canonical = reading.program.lexed.canonical
    if s.kind == "assert":
        yield _Fact(Category.ASSERTION, path, (point,), (s.expression,), "", canonical(*s.expression))
    for step in s.steps:
        text = f"calc {canonical(*step.left)} {step.operator} {canonical(*step.right)}"
        operands = (step.left, step.right)
        yield _Fact(Category.ASSERTION, path, (point,), operands, step.operator, text, "#" not in step.operator)


def _ghost_names(reading: Reading, path: str) -> frozenset[str]:
    """Ghost local variables of a declaration."""
    d = reading.by_path.get(path)
    if d is None or not d.callable:
        return frozenset()
    visits = reading.bodies[id(d)].visits
    return frozenset(x.name for v in visits if v.statement.kind == "var" for x in v.statement.locals if x.ghost)


def _mentions(reading: Reading, operands: tuple[Range, ...], names: frozenset[str]) -> bool:
    """Whether a name occurs other than as a member, or a label is referred to."""
    tokens = reading.program.lexed.tokens
    for first, last in operands:
        for i in range(first, last):
            if tokens[i].text == "@" or (
                tokens[i].kind == TokenKind.WORD and tokens[i].text in names and tokens[i - 1].text != "."
            ):
                return True
    return False


def _text(reading: Reading, fact: _Fact) -> str:
    parts = []
    for first, last in fact.operands:
        span = reading.span(first, last)
        parts.append(one_line(reading.program.lexed.source[span.start : span.end]))
    return parts[0] if len(parts) == 1 else f"({parts[0]}) {fact.operator} ({parts[1]})"
