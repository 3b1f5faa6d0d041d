"""From the tree to the language-independent view: :func:`read` is what everything else of Dafny starts from.

A :class:`Reading` keeps the tree beside the :class:`~verulaw_rl.languages.base.ProgramView`, with what strip,
instrument and audit need: marks of tokens, loops and statements of each declaration in order. Loops that stand
in compiled code are numbered first, in source order, then those inside proof text, so that numbers of the
former do not depend on annotations.
"""

from __future__ import annotations

from collections.abc import Iterator
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
from verulaw_rl.languages.dafny.declarations import Program, parse_program
from verulaw_rl.languages.dafny.names import Names, collect_names, recursive_paths
from verulaw_rl.languages.dafny.regions import is_star, mark
from verulaw_rl.languages.dafny.syntax import Block, ClauseNode, Declaration, Statement
from verulaw_rl.languages.marks import ANNOTATION, Marks, regions
from verulaw_rl.languages.parsed import flatten

_ANNOTATION_KINDS = {"assert": AnnotationKind.ASSERT, "calc": AnnotationKind.CALC}


@dataclass(frozen=True, slots=True)
class Visit:
    """A statement of a body: whether it lies in proof text of compiled code, and at how many loops' depth."""

    statement: Statement
    in_proof: bool
    """Inside (or itself) proof text: a statement that executable text does not fix."""
    embedded: bool
    nested: bool
    """Inside another proof statement."""
    parent: Block | None


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
    names: Names
    marks: Marks
    declarations: list[Declaration]
    bodies: dict[int, Body]
    """By ``id`` of the declaration."""
    view: ProgramView
    by_path: dict[str, Declaration] = field(default_factory=dict)
    executable_before: list[int] = field(default_factory=list)
    """``executable_before[i]``: tokens before ``i`` that are no annotation."""
    _annotations: dict[str, list[Annotation]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for annotation in self.view.annotations:
            self._annotations.setdefault(annotation.declaration, []).append(annotation)

    def annotations_of(self, path: str) -> list[Annotation]:
        """Annotations of the declaration of that path."""
        return self._annotations.get(path, [])

    def span(self, first: int, last: int) -> Span:
        """Characters covered by the tokens ``[first, last)``."""
        return self.program.lexed.span(first, last)


@lru_cache(maxsize=128)
def read(source: str) -> Reading:
    """Read any text; never raises."""
    program = parse_program(source)
    names = collect_names(program)
    marks = mark(program, names)
    declarations = list(flatten(program.declarations))
    before = [0, *accumulate(kind != ANNOTATION for kind in marks.tokens)]
    bodies = {id(d): _body(d, marks) for d in declarations if d.callable}
    recursive = recursive_paths(program)
    views = tuple(_declaration_view(program, d, bodies.get(id(d)), recursive) for d in declarations)
    annotations = [a for d in declarations if d.callable for a in _annotations(program, marks, before, bodies[id(d)])]
    by_view: dict[str, DeclarationView] = {}
    by_path: dict[str, Declaration] = {}
    for declaration, declaration_view in zip(declarations, views, strict=True):
        by_view.setdefault(declaration.path, declaration_view)
        by_path.setdefault(declaration.path, declaration)
    error = program.error if source.strip() else "the file is empty"
    program_view = ProgramView(source, views, regions(program.lexed, marks), tuple(annotations), error, by_view)
    return Reading(program, names, marks, declarations, bodies, program_view, by_path, before)


def parse(source: str) -> ProgramView:
    """The view of any text."""
    return read(source).view


def _body(d: Declaration, marks: Marks) -> Body:
    visits: list[Visit] = []
    for s in d.embedded:
        visits += _walk(s, marks, d.ghost, True, False, None)
    for block in (d.block, d.by_method):
        if block is not None:
            ghost = d.ghost and block is d.block
            for s in block.statements:
                visits += _walk(s, marks, ghost, False, ghost, block)
    outside = [v.statement for v in visits if v.statement.is_loop and not (v.in_proof and not d.ghost)]
    inside = [v.statement for v in visits if v.statement.is_loop and v.in_proof and not d.ghost]
    return Body(d, visits, outside + inside)


def _walk(
    s: Statement, marks: Marks, in_proof: bool, embedded: bool, nested: bool, parent: Block | None
) -> Iterator[Visit]:
    inside = in_proof or marks.is_proof(s)
    yield Visit(s, inside, embedded, nested, parent)
    below = nested or marks.is_proof(s)
    for e in s.embedded:
        yield from _walk(e, marks, inside, True, below, None)
    for block in s.blocks:
        for inner in block.statements:
            yield from _walk(inner, marks, inside, embedded, below, block)


def _clause(program: Program, c: ClauseNode) -> Clause:
    lexed = program.lexed
    expression_span = program.lexed.span(*c.expression)
    attributes = lexed.canonical(*c.attributes)
    expression = lexed.canonical(*c.expression)
    return Clause(
        kind=("free " if c.free else "") + c.kind,
        expression=lexed.source[expression_span.start : expression_span.end],
        canonical=f"{attributes} {expression}" if attributes else expression,
        span=program.lexed.span(c.first, c.last),
        expression_span=expression_span,
        line=lexed.line(lexed.tokens[c.keyword].start),
    )


def assert_clause(program: Program, s: Statement) -> Clause:
    """An assert statement as a clause."""
    return _clause(program, ClauseNode(s.kind, s.first, s.last, s.keyword, s.attributes, s.expression))


def _declaration_view(
    program: Program, d: Declaration, body: Body | None, recursive: frozenset[str]
) -> DeclarationView:
    lexed = program.lexed
    signature = lexed.canonical(*d.signature)
    if d.kind == "field":
        signature = " ".join([*sorted(d.modifiers), "var", signature])
    return DeclarationView(
        kind=d.kind,
        name=d.name,
        path=d.path,
        line=lexed.line(lexed.tokens[min(d.named_at, len(lexed.tokens) - 1)].start),
        span=program.lexed.span(d.first, d.last),
        signature=signature,
        clauses=tuple(_clause(program, c) for c in d.clauses),
        loops=tuple(_loop_view(program, i, s) for i, s in enumerate(body.loops)) if body else (),
        body=program.lexed.span(*d.body) if d.body else None,
        callable=d.callable,
        ghost=d.ghost,
        recursive=d.path in recursive,
        asserts=tuple(assert_clause(program, v.statement) for v in body.visits if v.statement.kind == "assert")
        if body
        else (),
    )


def _loop_view(program: Program, index: int, s: Statement) -> LoopView:
    body = s.blocks[0] if s.blocks and s.operator != "case" else None
    span = program.lexed.span(body.first, body.last) if body else None
    if s.blocks and s.operator == "case":
        span = program.lexed.span(s.blocks[0].first, s.last)
    return LoopView(
        index=index,
        line=program.lexed.line(program.lexed.tokens[s.keyword].start),
        span=program.lexed.span(s.first, s.last),
        clauses=tuple(_clause(program, c) for c in s.clauses),
        body=span,
    )


def _annotations(program: Program, marks: Marks, before: list[int], body: Body) -> Iterator[Annotation]:
    d, lexed = body.declaration, program.lexed

    def make(kind: AnnotationKind, first: int, last: int, loop: int | None, point: Point | None) -> Annotation:
        span = program.lexed.span(first, last)
        text = lexed.source[span.start : span.end]
        return Annotation(kind, d.path, text, lexed.canonical(first, last), span, lexed.line(span.start), loop, point)

    for c in d.clauses:
        if c.kind == "decreases" and not is_star(program, c):
            yield make(AnnotationKind.DECREASES, c.first, c.last, None, None)
    loop_index = {id(s): i for i, s in enumerate(body.loops)}
    for visit in body.visits:
        s = visit.statement
        if s.is_loop:
            index = loop_index[id(s)]
            for c in s.clauses:
                if is_star(program, c):
                    continue
                kind = {"invariant": AnnotationKind.INVARIANT, "decreases": AnnotationKind.DECREASES}.get(
                    c.kind, AnnotationKind.GHOST
                )
                point = Point("loop_head", index) if kind is AnnotationKind.INVARIANT else None
                yield make(kind, c.first, c.last, index, point)
        if not (marks.is_proof(s) or (d.ghost and visit.in_proof)):
            continue
        annotation_kind = _ANNOTATION_KINDS.get(s.kind, AnnotationKind.GHOST)
        outermost = marks.is_proof(s) and not visit.nested
        if annotation_kind is AnnotationKind.GHOST and visit.nested and not (d.ghost and visit.parent is d.block):
            continue
        point = None
        if outermost and not visit.embedded and not d.ghost and d.block is not None:
            point = Point("token", before[s.first] - before[d.block.first])
        yield make(annotation_kind, s.first, s.last, None, point)
