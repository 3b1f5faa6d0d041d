"""From the tree to the language-independent view: :func:`read` is what everything else of Verus starts from.

A :class:`Reading` keeps the tree beside the :class:`~verulaw_rl.languages.base.ProgramView`. The kinds of the view are
those of the other languages: ``method`` is an exec function, ``lemma`` a proof function, ``function`` a spec function.
``returns e`` shows as the clause ``ensures result == (e)``, since that is what it says. Loops of compiled code are
numbered first, in source order, then those inside proof text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate

from verulaw_rl.languages.base import (
    Annotation,
    AnnotationKind,
    Clause,
    DeclarationView,
    LoopView,
    Point,
    ProgramView,
    Span,
)
from verulaw_rl.languages.marks import ANNOTATION, Marks, regions
from verulaw_rl.languages.parsed import flatten
from verulaw_rl.languages.verus.declarations import Program, parse_program
from verulaw_rl.languages.verus.names import recursive_paths
from verulaw_rl.languages.verus.regions import ASSERTIONS, PROOF_MACROS, mark
from verulaw_rl.languages.verus.syntax import Block, ClauseGroup, ClauseNode, Declaration, Statement

_Maker = Callable[[AnnotationKind, Span, str, "int | None", "Point | None"], Annotation]

RESULT = "verulaw_result"
"""Name of the result of a function that gives it none, in ``ensures`` made of ``returns``."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A statement of a body and where it stands."""

    statement: Statement
    in_proof: bool
    """Inside (or itself) proof text: a statement that executable text does not fix."""
    nested: bool
    """Inside a proof statement other than a ``proof`` block of compiled code."""
    parent: Block
    around: Statement | None
    """The ``proof`` block of compiled code that it stands directly in."""
    closure: bool
    """Inside a closure: what returns there does not leave the function."""


@dataclass(slots=True)
class Body:
    """The statements of one callable in source order, its loops in numbering order."""

    declaration: Declaration
    visits: list[Visit]
    loops: list[Statement]


@dataclass(slots=True)
class Reading:
    """Everything known of a program's syntax. Read only."""

    program: Program
    marks: Marks
    declarations: list[Declaration]
    bodies: dict[int, Body]
    """By ``id`` of the declaration."""
    view: ProgramView
    by_path: dict[str, Declaration] = field(default_factory=dict)
    """Callables, and what else there is no callable of that path for."""
    executable_before: list[int] = field(default_factory=list)
    """``executable_before[i]``: tokens before ``i`` that are no annotation."""

    def span(self, first: int, last: int) -> Span:
        """Characters covered by the tokens ``[first, last)``."""
        return self.program.lexed.span(first, last)


@lru_cache(maxsize=128)
def read(source: str) -> Reading:
    """Read any text; never raises."""
    program = parse_program(source)
    marks = mark(program)
    declarations = list(flatten(program.declarations))
    before = [0, *accumulate(kind != ANNOTATION for kind in marks.tokens)]
    bodies = {id(d): _body(d, marks) for d in declarations if d.callable}
    recursive = recursive_paths(program)
    shown = sorted((d for d in declarations if d.kind != "attribute"), key=lambda d: d.first)
    views = tuple(_declaration_view(program, d, bodies.get(id(d)), recursive) for d in shown)
    annotations = [a for d in shown if d.callable for a in _annotations(program, marks, before, bodies[id(d)])]
    by_view: dict[str, DeclarationView] = {}
    by_path: dict[str, Declaration] = {}
    for declaration, declaration_view in sorted(zip(shown, views, strict=True), key=lambda pair: not pair[0].callable):
        by_view.setdefault(declaration.path, declaration_view)
        by_path.setdefault(declaration.path, declaration)
    error = program.error if source.strip() else "the file is empty"
    program_view = ProgramView(source, views, regions(program.lexed, marks), tuple(annotations), error, by_view)
    return Reading(program, marks, declarations, bodies, program_view, by_path, before)


def parse(source: str) -> ProgramView:
    """The view of any text."""
    return read(source).view


def _body(d: Declaration, marks: Marks) -> Body:
    visits: list[Visit] = []
    if d.block is not None:
        ghost = d.kind == "lemma"
        visits += _walk(d.block, marks, ghost, ghost, None, False)
    outside = [v.statement for v in visits if v.statement.is_loop and (d.ghost or not v.in_proof)]
    inside = [v.statement for v in visits if v.statement.is_loop and v.in_proof and not d.ghost]
    return Body(d, visits, outside + inside)


def _walk(
    block: Block, marks: Marks, in_proof: bool, nested: bool, around: Statement | None, closure: bool
) -> Iterator[Visit]:
    for s in block.statements:
        proof = marks.is_proof(s)
        yield Visit(s, in_proof or proof, nested, block, around, closure)
        opened = proof and s.kind == "proof" and not in_proof
        for inner in s.blocks:
            below = not opened and (nested or in_proof or proof)
            yield from _walk(inner, marks, in_proof or proof, below, s if opened else None, closure or inner.closure)


def _group_span(program: Program, group: ClauseGroup) -> Span:
    return program.lexed.span(group.first, group.open_end)


def clause_span(program: Program, group: ClauseGroup, c: ClauseNode) -> Span:
    """From the clause to its comma; with the keyword where it is the only one."""
    return program.lexed.span(group.first if len(group.clauses) == 1 else c.first, c.last)


def clauses_of(program: Program, groups: list[ClauseGroup], result: str = RESULT) -> Iterator[Clause]:
    """The clauses of groups; a ``decreases`` is one clause, since its parts are ordered."""
    lexed = program.lexed
    for group in groups:
        keyword = lexed.tokens[group.first]
        if group.kind == "decreases" or not group.clauses:
            last = group.open_end - (group.open_end > group.first + 1 and lexed.tokens[group.open_end - 1].text == ",")
            span = program.lexed.span(group.first + 1, last)
            yield Clause(
                kind=group.kind,
                expression=lexed.source[span.start : span.end],
                canonical=lexed.canonical(group.first + 1, last),
                span=_group_span(program, group),
                expression_span=span,
                line=lexed.line(keyword.start),
            )
            continue
        for c in group.clauses:
            span = program.lexed.span(*c.expression)
            expression = lexed.source[span.start : span.end]
            returns = group.kind == "returns"
            yield Clause(
                kind="ensures" if returns else group.kind,
                expression=f"{result} == ({expression})" if returns else expression,
                canonical=("returns " if returns else "") + lexed.canonical(c.first, c.expression.last),
                span=clause_span(program, group, c),
                expression_span=span,
                line=lexed.line(lexed.tokens[c.first].start),
            )


def assert_clause(program: Program, s: Statement) -> Clause:
    """An assertion as a clause: what is asserted, without brackets and proof."""
    lexed = program.lexed
    span = program.lexed.span(*s.expression)
    return Clause(
        kind="assert",
        expression=lexed.source[span.start : span.end],
        canonical=lexed.canonical(*s.expression),
        span=program.lexed.span(s.first, s.last),
        expression_span=span,
        line=lexed.line(lexed.tokens[min(s.keyword, len(lexed.tokens) - 1)].start),
    )


def _declaration_view(
    program: Program, d: Declaration, body: Body | None, recursive: frozenset[str]
) -> DeclarationView:
    lexed = program.lexed
    attributes = [lexed.canonical(*a) for a in d.attributes]
    return DeclarationView(
        kind=d.kind,
        name=d.name,
        path=d.path,
        line=lexed.line(lexed.tokens[min(d.named_at, len(lexed.tokens) - 1)].start),
        span=program.lexed.span(d.first, d.last),
        signature=" ".join([*attributes, lexed.canonical(*d.signature)]),
        clauses=tuple(clauses_of(program, d.groups, d.result_name or RESULT)),
        loops=tuple(_loop_view(program, i, s) for i, s in enumerate(body.loops)) if body else (),
        body=program.lexed.span(*d.body) if d.body else None,
        callable=d.callable,
        ghost=d.ghost,
        recursive=d.path in recursive,
        asserts=tuple(assert_clause(program, v.statement) for v in body.visits if v.statement.kind in ASSERTIONS)
        if body
        else (),
    )


def _loop_view(program: Program, index: int, s: Statement) -> LoopView:
    body = loop_body(s)
    return LoopView(
        index=index,
        line=program.lexed.line(program.lexed.tokens[s.keyword].start),
        span=program.lexed.span(s.first, s.last),
        clauses=tuple(clauses_of(program, s.groups)),
        body=program.lexed.span(body.first, body.last) if body else None,
    )


def loop_body(s: Statement) -> Block | None:
    """The block of a loop that is run again and again."""
    end = s.last - s.semicolon
    return next((b for b in reversed(s.blocks) if b.braced and b.last == end), None)


def _annotations(program: Program, marks: Marks, before: list[int], body: Body) -> Iterator[Annotation]:
    d, lexed = body.declaration, program.lexed

    def make(kind: AnnotationKind, span: Span, canonical: str, loop: int | None, point: Point | None) -> Annotation:
        text = lexed.source[span.start : span.end]
        return Annotation(kind, d.path, text, canonical, span, lexed.line(span.start), loop, point)

    if d.kind in ("method", "lemma"):
        for group in d.groups:
            if group.kind == "decreases":
                canonical = lexed.canonical(group.first, group.open_end)
                yield make(AnnotationKind.DECREASES, _group_span(program, group), canonical, None, None)
    loop_index = {id(s): i for i, s in enumerate(body.loops)}
    for visit in body.visits:
        s = visit.statement
        if s.is_loop:
            yield from _loop_annotations(program, s, loop_index[id(s)], make)
        if not visit.in_proof or (s.kind == "proof" and s.blocks and s.blocks[0].statements and not d.ghost):
            continue
        kind = annotation_kind(s)
        if kind is AnnotationKind.GHOST and visit.nested and not (d.kind == "lemma" and visit.parent is d.block):
            continue
        point = None
        if not visit.nested and d.kind == "method" and d.block is not None and visit.parent.braced:
            outer = visit.around or s
            point = Point("token", before[outer.first] - before[d.block.first])
        yield make(kind, program.lexed.span(s.first, s.last), lexed.canonical(s.first, s.last), None, point)


def _loop_annotations(program: Program, s: Statement, index: int, make: _Maker) -> Iterator[Annotation]:
    lexed = program.lexed
    for group in s.groups:
        if group.kind == "decreases":
            canonical = lexed.canonical(group.first, group.open_end)
            yield make(AnnotationKind.DECREASES, _group_span(program, group), canonical, index, None)
            continue
        point = Point("after_loop" if "ensures" in group.kind else "loop_head", index)
        for c in group.clauses:
            canonical = f"{group.kind} {lexed.canonical(c.first, c.expression.last)}"
            yield make(AnnotationKind.INVARIANT, clause_span(program, group, c), canonical, index, point)


def annotation_kind(s: Statement) -> AnnotationKind:
    """What a proof statement is."""
    if s.kind in ASSERTIONS or (s.kind == "macro" and PROOF_MACROS.intersection(s.names)):
        return AnnotationKind.ASSERT
    return AnnotationKind.CALC if s.kind == "calc" else AnnotationKind.GHOST
