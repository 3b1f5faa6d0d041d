"""From the tree to the language-independent view: :func:`read` is what everything else of Nagini starts from.

What is which kind of text:

* SPECIFICATION: all outside of bodies of methods (imports, classes, signatures, docstrings), contracts with their
  permissions, and the bodies of pure functions and predicates;
* ANNOTATION: invariants of loops with their permissions and ``MustTerminate``, and all other proof text (see
  ``ghost``), whole bodies of ghost methods included;
* EXECUTABLE: the rest of the bodies of methods and constructors.

A clause is a conjunct: ``Ensures(a and b)`` makes two, since a check that fails must not hide the next. What
stands behind a test of a type or of ``None`` stays with it, because the type checker reads it only there.
White space and comments belong to the text behind them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from verulaw_rl.languages.base import (
    Annotation,
    AnnotationKind,
    Clause,
    DeclarationView,
    LoopView,
    Point,
    ProgramView,
    Region,
    RegionKind,
    Span,
)
from verulaw_rl.languages.graphs import on_cycles
from verulaw_rl.languages.nagini.ghost import Names, Proof, collect_names, last_name, proof_text
from verulaw_rl.languages.nagini.program import (
    Body,
    Definition,
    Visit,
    definitions,
    promises_to_end,
    read_body,
)
from verulaw_rl.languages.nagini.source import Source, read_source
from verulaw_rl.languages.nagini.words import blocks, is_no_op, statement_call


@dataclass(eq=False)
class Reading:
    """Everything known of a program's syntax. Read only."""

    source: Source
    definitions: list[Definition]
    names: Names
    proofs: dict[int, Proof]
    """By ``id`` of the definition; methods and constructors only."""
    bodies: dict[int, Body]
    """By ``id`` of the definition; methods and constructors only."""
    recursive: frozenset[str]
    """Paths of functions and methods that can call themselves."""
    view: ProgramView
    by_path: dict[str, Definition] = field(default_factory=dict)


@lru_cache(maxsize=256)
def read(text: str) -> Reading:
    """Read any text; never raises."""
    source = read_source(text)
    try:
        return _read(source)
    except RecursionError:
        error = "the program is nested too deeply"
        return _read(Source(text, None, source.error or error, source.line_starts))


def parse(text: str) -> ProgramView:
    """The view of any text."""
    return read(text).view


def _read(source: Source) -> Reading:
    found = definitions(source.tree) if source.tree else []
    names = collect_names(found)
    proofs = {id(d): proof_text(d, names) for d in found if d.is_method}
    bodies = {id(d): read_body(d, proofs[id(d)].nodes) for d in found if d.is_method}
    recursive = recursive_paths(found)
    maker = _Maker(source, names, proofs, bodies, recursive)
    views = [maker.declaration(d) for d in found]
    views += maker.constants()
    views.sort(key=lambda v: v.span.start)
    annotations = [a for d in found if d.is_method for a in maker.annotations(d)]
    by_view: dict[str, DeclarationView] = {}
    for v in views:
        by_view.setdefault(v.path, v)
    view = ProgramView(source.text, tuple(views), maker.regions(found), tuple(annotations), source.error, by_view)
    by_path: dict[str, Definition] = {}
    for d in found:
        by_path.setdefault(d.path, d)
    return Reading(source, found, names, proofs, bodies, recursive, view, by_path)


def recursive_paths(found: list[Definition]) -> frozenset[str]:
    """Paths of functions and methods that can reach themselves through calls, judged by names."""
    callables = [d for d in found if d.is_function]
    by_name: dict[str, list[int]] = {}
    for index, d in enumerate(callables):
        by_name.setdefault(d.name, []).append(index)
        if d.kind == "constructor" and d.holder is not None:
            by_name.setdefault(d.holder.name, []).append(index)
    edges = []
    for d in callables:
        # A contract that uses its own function is recursion only where the contract is a definition.
        parts: list[ast.AST] = [*d.implementation]
        if d.kind in ("function", "predicate"):
            parts += [s for kind, s in d.clauses if kind == "requires"]
        called = {last_name(n.func) for part in parts for n in ast.walk(part) if isinstance(n, ast.Call)}
        edges.append(sorted({i for name in called if name in by_name for i in by_name[name]}))
    return frozenset(callables[i].path for i in on_cycles(edges))


def names_of(node: ast.AST) -> Iterator[str]:
    """Names and attributes that occur in a tree."""
    for n in ast.walk(node):
        if isinstance(n, ast.Name):
            yield n.id
        elif isinstance(n, ast.Attribute):
            yield n.attr


def conjuncts(e: ast.expr) -> list[ast.expr]:
    """The parts of a conjunction that stand on their own.

    From the first part on that tests a type or ``None``, what follows may only be well typed behind it.
    """
    if not isinstance(e, ast.BoolOp) or not isinstance(e.op, ast.And):
        return [e]
    out: list[ast.expr] = []
    for k, value in enumerate(e.values):
        if _narrows(value):
            rest = e.values[k:]
            if len(rest) == 1:
                out.append(value)
            else:
                joined = ast.BoolOp(ast.And(), rest)
                ast.copy_location(joined, rest[0])
                joined.end_lineno, joined.end_col_offset = rest[-1].end_lineno, rest[-1].end_col_offset
                out.append(joined)
            return out
        out += conjuncts(value)
    return out


def _narrows(e: ast.expr) -> bool:
    for n in ast.walk(e):
        if isinstance(n, ast.Compare) and any(isinstance(op, ast.Is | ast.IsNot) for op in n.ops):
            return True
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in ("isinstance", "type"):
            return True
    return False


class _Maker:
    """Makes views of definitions of one source."""

    def __init__(
        self,
        source: Source,
        names: Names,
        proofs: dict[int, Proof],
        bodies: dict[int, Body],
        recursive: frozenset[str],
    ) -> None:
        self.source = source
        self.names = names
        self.proofs = proofs
        self.bodies = bodies
        self.recursive = recursive

    def declaration(self, d: Definition) -> DeclarationView:
        body = self.bodies.get(id(d))
        return DeclarationView(
            kind=d.kind,
            name=d.name,
            path=d.path,
            line=d.node.lineno,
            span=self.source.span(d.node),
            signature=signature(d),
            clauses=tuple(c for kind, s in d.clauses for c in self.clauses(kind, s)),
            loops=tuple(self._loop(k, loop) for k, loop in enumerate(body.loops)) if body else (),
            body=self._body(d),
            callable=d.is_function,
            ghost=d.is_method and d.name in self.names.ghost,
            recursive=d.path in self.recursive,
            termination=d.must_end,
            asserts=tuple(self._asserts(body)) if body else (),
        )

    def constants(self) -> list[DeclarationView]:
        """Assignments at module level and in classes."""
        out = []
        for s in self.source.tree.body if self.source.tree else ():
            target = s.targets[0] if isinstance(s, ast.Assign) else getattr(s, "target", None)
            if isinstance(s, ast.Assign | ast.AnnAssign) and isinstance(target, ast.Name):
                out.append(
                    DeclarationView(
                        kind="const",
                        name=target.id,
                        path=target.id,
                        line=s.lineno,
                        span=self.source.span(s),
                        signature=ast.unparse(s),
                        clauses=(),
                        loops=(),
                        body=None,
                        callable=False,
                        ghost=False,
                        termination=False,
                    )
                )
        return out

    def _body(self, d: Definition) -> Span | None:
        if d.kind == "class":
            return None
        if d.trusted:
            return None
        block = d.implementation
        if not block:
            end = self.source.end(d.node)
            return Span(end, end)
        return Span(self.source.span(block[0]).start, self.source.end(block[-1]))

    def clauses(self, kind: str, s: ast.Expr) -> Iterator[Clause]:
        """The clauses of a contract statement or invariant."""
        call = s.value
        assert isinstance(call, ast.Call)
        arguments = [*call.args, *(k.value for k in call.keywords)]
        if not arguments:
            return
        whole = self.source.span(s)
        parts: list[ast.expr] = conjuncts(arguments[0]) if len(arguments) == 1 else []
        if len(parts) <= 1:
            span = Span(self.source.start(arguments[0]), self.source.end(arguments[-1]))
            canonical = ", ".join(ast.unparse(a) for a in arguments)
            yield Clause(kind, self.source.slice(span), canonical, whole, span, s.lineno)
            return
        for k, part in enumerate(parts):
            span = self.source.span(part)
            # The tool names a clause by where its argument starts.
            own = Span(whole.start, span.end) if k == 0 else span
            yield Clause(kind, self.source.slice(span), ast.unparse(part), own, span, part.lineno)

    def _loop(self, index: int, loop: ast.stmt) -> LoopView:
        body: list[ast.stmt] = getattr(loop, "body", [])
        clauses = [
            c for s in body if statement_call(s) == "Invariant" and isinstance(s, ast.Expr)
            for c in self.clauses("invariant", s)
        ]  # fmt: skip
        span = Span(self.source.start(body[0]), self.source.end(body[-1])) if body else None
        return LoopView(index, loop.lineno, self.source.span(loop), tuple(clauses), span)

    def _asserts(self, body: Body) -> Iterator[Clause]:
        for v in body.visits:
            e = asserted(v.node)
            if e is not None:
                span = self.source.span(e)
                yield Clause(
                    "assert", self.source.slice(span), ast.unparse(e), self.source.span(v.node), span, v.node.lineno
                )

    def annotations(self, d: Definition) -> Iterator[Annotation]:
        """Removable pieces of proof text of a method, in source order."""
        body, proof = self.bodies[id(d)], self.proofs[id(d)]
        for v in body.visits:
            if id(v.node) not in proof.nodes or is_no_op(v.node) or isinstance(v.node, ast.Return):
                continue
            kind = annotation_kind(v.node)
            point = None
            if v.loop is not None:
                point = Point("loop_head", v.loop) if kind is AnnotationKind.INVARIANT else None
            elif id(v.node) in body.slot_of:
                point = Point("token", body.slot_of[id(v.node)])
            span = self.source.span(v.node)
            yield Annotation(
                kind=kind,
                declaration=d.path,
                text=self.source.slice(span),
                canonical=ast.unparse(v.node),
                span=span,
                line=v.node.lineno,
                loop=v.loop,
                point=point,
            )

    # --- regions ------------------------------------------------------------------------------------------------

    def regions(self, found: Iterable[Definition]) -> tuple[Region, ...]:
        """Runs of text of one kind; joined they are the source."""
        pieces: list[tuple[Span, RegionKind]] = []
        for d in found:
            if d.is_method:
                nodes = self.proofs[id(d)].nodes
                for s in d.implementation:
                    pieces += self._pieces(s, nodes)
        return _runs(self.source.text, pieces)

    def _pieces(self, s: ast.stmt, nodes: frozenset[int]) -> Iterator[tuple[Span, RegionKind]]:
        span = self.source.span(s)
        if id(s) in nodes:
            yield span, RegionKind.ANNOTATION
            return
        inside = [inner for block in blocks(s) for inner in block]
        at = span.start
        for inner in inside:
            end = at + len(_without_trailing_layout(self.source.text[at : self.source.span(inner).start]))
            if end > at:
                yield Span(at, end), RegionKind.EXECUTABLE
            yield from self._pieces(inner, nodes)
            at = self.source.end(inner)
        if at < span.end:
            yield Span(at, span.end), RegionKind.EXECUTABLE


def _without_trailing_layout(text: str) -> str:
    """The text without the blank lines and comment lines at its end."""
    lines = text.rstrip().split("\n")
    while len(lines) > 1 and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    return "" if lines[0].lstrip().startswith("#") and len(lines) == 1 else "\n".join(lines).rstrip()


def _runs(text: str, pieces: list[tuple[Span, RegionKind]]) -> tuple[Region, ...]:
    """Join pieces of one kind; what is between goes to the piece behind it, and what is outside is specification."""
    marks: list[tuple[int, RegionKind]] = []
    position = 0
    for span, kind in sorted(pieces, key=lambda p: p[0].start):
        start = max(span.start, position)
        if span.end <= start:
            continue
        between = text[position:start]
        if between.strip() and any(not line.lstrip().startswith("#") for line in between.split("\n") if line.strip()):
            # Text of the specification ends with its last line.
            end = position + len(between.rstrip(" \t"))
            cut = max(text.rfind("\n", position, start) + 1, position)
            if not text[cut:start].strip():
                end = cut
            marks.append((end, RegionKind.SPECIFICATION))
            marks.append((span.end, kind))
        else:
            marks.append((span.end, kind))
        position = span.end
    if position < len(text):
        marks.append((len(text), RegionKind.SPECIFICATION if text[position:].strip() or not marks else marks[-1][1]))
    out: list[Region] = []
    start = 0
    for end, kind in marks:
        if end <= start:
            continue
        if out and out[-1].kind is kind:
            out[-1] = Region(kind, Span(out[-1].span.start, end))
        else:
            out.append(Region(kind, Span(start, end)))
        start = end
    return tuple(out)


def annotation_kind(s: ast.stmt) -> AnnotationKind:
    """What a statement of proof text is."""
    name = statement_call(s)
    if name == "Invariant":
        return AnnotationKind.DECREASES if _only_promises_to_end(s) else AnnotationKind.INVARIANT
    if name in ("Assert", "Refute") or isinstance(s, ast.Assert):
        return AnnotationKind.ASSERT
    return AnnotationKind.GHOST


def _only_promises_to_end(s: ast.stmt) -> bool:
    assert isinstance(s, ast.Expr)
    return isinstance(s.value, ast.Call) and all(promises_to_end(c) for a in s.value.args for c in conjuncts(a))


def asserted(s: ast.stmt) -> ast.expr | None:
    """The formula of an assertion."""
    if isinstance(s, ast.Assert):
        return s.test
    if statement_call(s) == "Assert" and isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and s.value.args:
        return s.value.args[0]
    return None


def invariant(v: Visit) -> ast.expr | None:
    """The formula of an invariant at the head of a loop."""
    s = v.node
    if v.loop is None or statement_call(s) != "Invariant" or not isinstance(s, ast.Expr):
        return None
    return s.value.args[0] if isinstance(s.value, ast.Call) and s.value.args else None


def signature(d: Definition) -> str:
    """Canonical text of a definition's head."""
    node = d.node
    marks = "".join(f"@{ast.unparse(x)} " for x in node.decorator_list)
    if isinstance(node, ast.ClassDef):
        inside = [*map(ast.unparse, node.bases), *(f"{k.arg}={ast.unparse(k.value)}" for k in node.keywords)]
        return f"{marks}class {node.name}({', '.join(inside)})"
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    comment = f"  # type: {node.type_comment}" if node.type_comment else ""
    comments = [f"{a.arg}: {a.type_comment}" for a in ast.walk(node.args) if isinstance(a, ast.arg) and a.type_comment]
    kind = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    return f"{marks}{kind} {node.name}({ast.unparse(node.args)}){result}{comment}" + "".join(
        f"  # type: {c}" for c in comments
    )
