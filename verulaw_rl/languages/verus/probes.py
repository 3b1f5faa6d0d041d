"""Facts of a reference proof that a given program lacks, as hidden checks at points that executable text fixes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from verulaw_rl.languages.base import AnnotationProbe, Category, Point
from verulaw_rl.languages.lexed import Range, TokenKind
from verulaw_rl.languages.verus.instrument import one_line
from verulaw_rl.languages.verus.regions import ASSERTIONS
from verulaw_rl.languages.verus.syntax import Statement
from verulaw_rl.languages.verus.view import Body, Reading, Visit, read


@dataclass(frozen=True, slots=True)
class _Fact:
    """One annotation of a compiled body."""

    category: Category
    declaration: str
    points: tuple[Point, ...]
    expression: Range
    canonical: str
    text: str

    @property
    def key(self) -> tuple[Category, str, Point, str]:
        return (self.category, self.declaration, self.points[0], self.canonical)


def probes(reference: str, given: str) -> tuple[AnnotationProbe, ...]:
    """One probe for each loop clause and assertion of compiled bodies that only the reference has.

    Left out: proof text inside proof functions and inside other proof statements (nothing fixes its place), the
    steps of ``calc!``, assertions of special provers (``by (bit_vector)``: another prover may not know them), and
    facts about ghost variables that only the reference has.
    """
    ours, theirs = read(reference), read(given)
    known = Counter(fact.key for body in _bodies(theirs) for fact in _facts(theirs, body))
    found: list[AnnotationProbe] = []
    for body in _bodies(ours):
        path = body.declaration.path
        hidden = _ghost_names(ours, path) - _ghost_names(theirs, path) | _proof_names(ours, path)
        for fact in _facts(ours, body):
            if known[fact.key] > 0:
                known[fact.key] -= 1
            elif not _mentions(ours, fact.expression, hidden):
                found.append(AnnotationProbe(fact.category, fact.declaration, fact.points, fact.text))
    return tuple(found)


def _bodies(reading: Reading) -> Iterator[Body]:
    for d in reading.declarations:
        if d.kind == "method" and d.block is not None and d.prover.last == 0:
            yield reading.bodies[id(d)]


def _facts(reading: Reading, body: Body) -> Iterator[_Fact]:
    d, lexed = body.declaration, reading.program.lexed
    fixed = {id(v.statement) for v in body.visits if not v.in_proof and v.parent.braced and not v.closure}
    for index, loop in enumerate(body.loops):
        if id(loop) not in fixed:
            continue
        for group in loop.groups:
            for c in group.clauses if group.kind != "decreases" else ():
                points = _loop_points(reading, loop, index, group.kind, c.expression)
                text = lexed.canonical(*c.expression)
                yield _Fact(Category.INVARIANT, d.path, points, c.expression, text, _text(reading, c.expression))
    for visit in body.visits:
        s = visit.statement
        if s.kind in ASSERTIONS and visit.in_proof and not visit.nested and visit.parent.braced and not visit.closure:
            yield from _assertion(reading, body, visit)


def _assertion(reading: Reading, body: Body, visit: Visit) -> Iterator[_Fact]:
    s, d, lexed = visit.statement, body.declaration, reading.program.lexed
    assert d.block is not None
    if s.groups or any(lexed.tokens[i].text == "by" for i in range(s.expression.last, s.last) if not s.blocks):
        return
    before = reading.executable_before
    point = Point("token", before[(visit.around or s).first] - before[d.block.first])
    text = _text(reading, s.expression)
    if s.kind == "assert_forall":
        text = _as_forall(reading, s)
    yield _Fact(Category.ASSERTION, d.path, (point,), s.expression, lexed.canonical(*s.expression), text)


def _loop_points(reading: Reading, loop: Statement, index: int, kind: str, expression: Range) -> tuple[Point, ...]:
    head, after = Point("loop_head", index), Point("after_loop", index)
    if "ensures" in kind:
        return (after,)
    gone = loop.kind == "for" and _mentions(reading, expression, frozenset(loop.names))
    return (head,) if kind == "invariant_except_break" or gone else (head, after)


def _as_forall(reading: Reading, s: Statement) -> str:
    """``assert forall|x| P implies Q`` states ``forall|x| P ==> Q``."""
    lexed = reading.program.lexed
    at = next((i for i in range(*s.expression) if lexed.tokens[i].text == "implies"), None)
    if at is None:
        return _text(reading, s.expression)
    bars = [i for i in range(*s.expression) if lexed.tokens[i].text == "|"][:2]
    start = bars[1] + 1 if len(bars) == 2 else s.expression.first
    while start < at and lexed.tokens[start].text == "#":
        opening = start + (2 if lexed.tokens[start + 1].text == "!" else 1)
        start = lexed.closer.get(opening, at - 1) + 1
    head = _text(reading, Range(s.expression.first, start))
    left, right = _text(reading, Range(start, at)), _text(reading, Range(at + 1, s.expression.last))
    return f"{head} ({left}) ==> ({right})"


def _ghost_names(reading: Reading, path: str) -> frozenset[str]:
    """Ghost and tracked variables that compiled code of a declaration declares."""
    d = reading.by_path.get(path)
    if d is None or not d.callable:
        return frozenset()
    visits = reading.bodies[id(d)].visits
    return frozenset(n for v in visits if v.statement.kind == "let" and v.statement.mode for n in v.statement.names)


def _proof_names(reading: Reading, path: str) -> frozenset[str]:
    """Variables of ``proof`` blocks, which are unknown outside of them."""
    d = reading.by_path[path]
    visits = reading.bodies[id(d)].visits
    return frozenset(n for v in visits if v.around is not None and v.statement.kind == "let" for n in v.statement.names)


def _mentions(reading: Reading, expression: Range, names: frozenset[str]) -> bool:
    """Whether a name occurs other than as a member."""
    tokens = reading.program.lexed.tokens
    return any(
        tokens[i].kind == TokenKind.WORD and tokens[i].text in names and tokens[i - 1].text not in (".", "->")
        for i in range(*expression)
    )


def _text(reading: Reading, expression: Range) -> str:
    span = reading.span(*expression)
    return one_line(reading.program.lexed.source[span.start : span.end])
