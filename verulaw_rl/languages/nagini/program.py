"""The declarations of a program and the statements of their bodies, as everything of Nagini sees them.

A :class:`Definition` is a function, method or class with its tree, contract and implementation. A
:class:`Body` numbers what executable text fixes: loops, and slots (before each executable statement and at
the end of each block), which proof text cannot move.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from verulaw_rl.languages.nagini.words import (
    blocks,
    clause_kind,
    decorators,
    is_docstring,
    is_ellipsis,
    is_no_op,
    statement_call,
)

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Loop = ast.While | ast.For | ast.AsyncFor
LOOPS = (ast.While, ast.For, ast.AsyncFor)
METHOD_KINDS = ("method", "constructor")


@dataclass(eq=False)
class Definition:
    """A class, function or method. ``holder`` is the class that it stands in."""

    node: FunctionNode | ast.ClassDef
    kind: str
    """``class``, ``function`` (pure), ``predicate``, ``method`` or ``constructor``."""
    name: str
    path: str
    holder: Definition | None
    marks: frozenset[str]
    """Names of its decorators."""
    clauses: list[tuple[str, ast.Expr]] = field(default_factory=list)
    """Contract statements at its head, with their kind."""
    head: int = 0
    """Statements of its body that are docstring and contract."""

    @property
    def implementation(self) -> list[ast.stmt]:
        """Statements behind the contract."""
        return self.node.body[self.head :]

    @property
    def is_function(self) -> bool:
        """Whether it is something that has a contract."""
        return self.kind != "class"

    @property
    def is_method(self) -> bool:
        """Whether it has statements that run: no pure function, no predicate."""
        return self.kind in METHOD_KINDS

    @property
    def trusted(self) -> bool:
        """Whether the tool takes its contract without looking at a body."""
        if "ContractOnly" in self.marks:
            return True
        only_dots = bool(self.implementation) and all(is_ellipsis(s) for s in self.implementation)
        return self.kind == "function" and only_dots

    @property
    def placeholder(self) -> bool:
        """Whether nothing but ``pass`` or ``...`` stands behind the contract."""
        return all(is_no_op(s) for s in self.implementation)

    @property
    def must_end(self) -> bool:
        """Whether its contract asks for a proof that it ends."""
        if self.kind in ("function", "predicate"):
            return any(kind == "decreases" for kind, _ in self.clauses)
        return any(kind == "requires" and promises_to_end(c) for kind, c in self.clauses)


def promises_to_end(node: ast.AST) -> bool:
    """Whether ``MustTerminate`` occurs."""
    return any(isinstance(n, ast.Name) and n.id == "MustTerminate" for n in ast.walk(node))


def definitions(tree: ast.Module) -> list[Definition]:
    """All definitions at module level and in classes, holders before what they hold."""
    out: list[Definition] = []

    def collect(body: list[ast.stmt], holder: Definition | None) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                d = _definition(node, holder)
                out.append(d)
                if isinstance(node, ast.ClassDef):
                    collect(node.body, d)

    collect(tree.body, None)
    return out


def _definition(node: FunctionNode | ast.ClassDef, holder: Definition | None) -> Definition:
    marks = decorators(node)
    if isinstance(node, ast.ClassDef):
        kind = "class"
    elif "Predicate" in marks or "IOOperation" in marks:
        kind = "predicate"
    elif "Pure" in marks:
        kind = "function"
    else:
        kind = "constructor" if node.name == "__init__" and holder is not None else "method"
    d = Definition(node, kind, node.name, f"{holder.path}.{node.name}" if holder else node.name, holder, marks)
    if not isinstance(node, ast.ClassDef):
        for s in node.body:
            clause = clause_kind(s)
            if clause is not None and isinstance(s, ast.Expr):
                d.clauses.append((clause, s))
            elif not (is_docstring(s) and d.head == 0):
                break
            d.head += 1
    return d


@dataclass(frozen=True, eq=False)
class Slot:
    """A place between executable statements: before ``block[index]``, or at the end of the block."""

    block: list[ast.stmt]
    index: int


@dataclass(frozen=True, eq=False)
class Visit:
    """A statement of a body with the list that holds it."""

    node: ast.stmt
    block: list[ast.stmt]
    index: int
    in_proof: bool
    """Inside a statement that is proof text as a whole."""
    loop: int | None
    """Index of the loop at the head of whose body it stands, if it is an invariant of it."""


@dataclass(eq=False)
class Body:
    """The statements of one method in source order."""

    definition: Definition
    block: list[ast.stmt]
    """The implementation, as a list of its own."""
    visits: list[Visit]
    loops: list[Loop]
    slots: list[Slot]
    slot_of: dict[int, int]
    """Slot before or at which a statement that is proof text stands, by ``id`` of the statement."""


def leading_invariants(loop: ast.stmt) -> int:
    """How many statements at the head of a loop's body are invariants (a docstring between them aside)."""
    body: list[ast.stmt] = getattr(loop, "body", [])
    count = 0
    while count < len(body) and (statement_call(body[count]) == "Invariant" or is_docstring(body[count])):
        count += 1
    return count


def read_body(definition: Definition, proof: frozenset[int]) -> Body:
    """Walk an implementation.

    Args:
        definition: a function or method.
        proof: ``id`` of each statement that is proof text as a whole.
    """
    body = Body(definition, definition.implementation, [], [], [], {})
    _walk(body, body.block, proof, False, None)
    return body


def _walk(body: Body, block: list[ast.stmt], proof: frozenset[int], in_proof: bool, loop: ast.stmt | None) -> None:
    head = leading_invariants(loop) if loop is not None else 0
    waiting: list[ast.stmt] = []

    def slot(index: int) -> None:
        for s in waiting:
            body.slot_of[id(s)] = len(body.slots)
        waiting.clear()
        body.slots.append(Slot(block, index))

    for index, s in enumerate(block):
        is_proof = id(s) in proof
        executable = not in_proof and not is_proof
        at_head = len(body.loops) - 1 if index < head and loop is not None else None
        if at_head is not None and loop is not None:
            at_head = next(k for k, one in enumerate(body.loops) if one is loop)
        body.visits.append(Visit(s, block, index, in_proof or is_proof, at_head))
        if executable:
            slot(index)
        elif not in_proof and at_head is None:
            waiting.append(s)
        if isinstance(s, LOOPS) and not in_proof:
            body.loops.append(s)
        for inner in blocks(s):
            _walk(body, inner, proof, in_proof or is_proof, s if isinstance(s, LOOPS) and inner is s.body else None)
    if not in_proof:
        slot(len(block))


def falls_through(block: list[ast.stmt]) -> bool:
    """Whether control may reach the end of a block, as the type checker sees it: code behind must not be dead."""
    return all(_falls_through(s) for s in block)


def _falls_through(s: ast.stmt) -> bool:
    if isinstance(s, ast.Return | ast.Raise | ast.Break | ast.Continue):
        return False
    if isinstance(s, ast.Assert):
        return not (isinstance(s.test, ast.Constant) and not s.test.value)
    if isinstance(s, ast.If):
        if isinstance(s.test, ast.Constant):
            return falls_through(s.body if s.test.value else s.orelse)
        return falls_through(s.body) or falls_through(s.orelse)
    if isinstance(s, ast.While):
        if _always(s.test):
            return leaves(s)
        return True
    if isinstance(s, ast.With | ast.AsyncWith):
        return falls_through(s.body)
    if isinstance(s, ast.Try):
        if s.finalbody and not falls_through(s.finalbody):
            return False
        return falls_through([*s.body, *s.orelse]) or any(falls_through(h.body) for h in s.handlers)
    return True


def _always(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def leaves(loop: ast.stmt) -> bool:
    """Whether a ``break`` of this very loop stands in it."""
    stack = [*getattr(loop, "body", [])]
    while stack:
        s = stack.pop()
        if isinstance(s, ast.Break):
            return True
        inner = blocks(s)
        if isinstance(s, LOOPS):
            inner = [s.orelse]
        for block in inner:
            stack += block
    return False


def reachable(block: list[ast.stmt], index: int) -> bool:
    """Whether control that enters a block may get to its ``index``-th place."""
    return falls_through(block[:index])


def statements(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements of a block in source order, nested ones included."""
    for s in block:
        yield s
        for inner in blocks(s):
            yield from statements(inner)
