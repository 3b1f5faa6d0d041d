"""Whether a frozen body is still there: the given statements in order, with nothing but proof text between them.

Each given statement must occur in the candidate, at its place, with the same tree; ``Unfolding(P, e)`` counts as
``e`` in what runs. What the candidate has beyond that must be proof text by what it *does*: calls of the contract
language, calls of ghost methods, values without effect for variables with new names. What is *added* is
returned, for the search for proof escapes.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass, field

from verulaw_rl.languages.nagini.ghost import assigned_name, assigned_value, effect_free, ghost_call, states
from verulaw_rl.languages.nagini.program import Definition, leading_invariants
from verulaw_rl.languages.nagini.view import Reading
from verulaw_rl.languages.nagini.words import blocks, is_no_op


@dataclass(frozen=True, slots=True)
class Change:
    """One difference in frozen code. ``given`` or ``candidate`` is ``None`` where there is nothing on that side."""

    construct: str
    given: ast.stmt | None
    candidate: ast.stmt | None


@dataclass(slots=True)
class Outcome:
    """What a comparison found: offences, and the proof text that the candidate added."""

    changes: list[Change] = field(default_factory=list)
    added: list[ast.stmt] = field(default_factory=list)

    def include(self, other: Outcome) -> None:
        """Take over what another comparison found."""
        self.changes += other.changes
        self.added += other.added


class FrozenBody:
    """The comparison of one method's implementation."""

    def __init__(self, before: Reading, after: Reading, given: Definition, candidate: Definition) -> None:
        self.before, self.after = before, after
        self.given, self.candidate = given, candidate
        self.given_words = {n.id for n in ast.walk(given.node) if isinstance(n, ast.Name)}
        self.given_words |= {a.arg for a in ast.walk(given.node) if isinstance(a, ast.arg)}
        self.ghost = given.name in before.names.ghost
        self.proof = before.proofs[id(given)].nodes
        self._looks: dict[int, str] = {}

    def compare(self) -> Outcome:
        """Compare the two implementations."""
        return self._list(self.given.implementation, self.candidate.implementation, None)

    def _list(self, given: list[ast.stmt], candidate: list[ast.stmt], loop: ast.stmt | None) -> Outcome:
        """Match statement lists; differences are paired as closely as equal statements around them allow."""
        outcome = Outcome()
        given = [s for s in given if not is_no_op(s)]
        rest = [s for s in candidate if not is_no_op(s)]
        head = {id(s) for s in candidate[: leading_invariants(loop)]} if loop is not None else set()
        at = 0
        for g in given:
            match = self._find(g, rest, at, head)
            if match is None:
                at = self._report(g, rest, at, head, outcome)
                continue
            for c in rest[at:match]:
                self._extra(c, head, outcome)
            self._inside(g, rest[match], outcome)
            at = match + 1
        for c in rest[at:]:
            self._extra(c, head, outcome)
        return outcome

    def _find(self, g: ast.stmt, rest: list[ast.stmt], at: int, head: set[int]) -> int | None:
        """The next statement that looks like the given one, with nothing but additions before it."""
        wanted = self._look(g)
        for index in range(at, len(rest)):
            if self._look(rest[index]) == wanted:
                return index
            if not self._may_be_added(rest[index], head):
                return None
        return None

    def _report(self, g: ast.stmt, rest: list[ast.stmt], at: int, head: set[int], outcome: Outcome) -> int:
        """A given statement that is not where it should be; where to go on in the candidate."""
        if id(g) in self.proof:
            outcome.changes.append(Change("annotation_removed", g, None))
            return at
        later = next((k for k in range(at, len(rest)) if self._look(rest[k]) == self._look(g)), None)
        if later is not None:
            for c in rest[at:later]:
                self._extra(c, head, outcome)
            self._inside(g, rest[later], outcome)
            return later + 1
        instead = next((k for k in range(at, len(rest)) if not self._may_be_added(rest[k], head)), None)
        if instead is None or self._expected_later(rest[instead], g):
            outcome.changes.append(Change("statement_removed", g, None))
            return at
        for c in rest[at:instead]:
            self._extra(c, head, outcome)
        outcome.changes.append(Change("statement_changed", g, rest[instead]))
        outcome.added.append(rest[instead])
        return instead + 1

    def _expected_later(self, c: ast.stmt, g: ast.stmt) -> bool:
        """Whether a statement of the candidate is a given one that only comes after ``g``."""
        wanted = self._look(c)
        return any(s is not g and s.lineno > g.lineno and self._look(s) == wanted for s in _all(self.given.node))

    def _inside(self, g: ast.stmt, c: ast.stmt, outcome: Outcome) -> None:
        for given_block, block in zip(_every_block(g), _every_block(c), strict=False):
            outcome.include(self._list(given_block, block, c if block is getattr(c, "body", None) else None))

    def _extra(self, c: ast.stmt, head: set[int], outcome: Outcome) -> None:
        """A statement that the given does not have."""
        outcome.added.append(c)
        if not self._may_be_added(c, head):
            outcome.changes.append(Change("statement_added", None, c))

    def _may_be_added(self, c: ast.stmt, head: set[int]) -> bool:
        """Whether a statement does nothing in the program that runs. Escapes pass here: they are found elsewhere."""
        names = self.after.names
        if is_no_op(c) or states(c, names):
            return True
        if self.ghost and self.candidate.name in names.ghost:
            return True
        if isinstance(c, ast.If):
            inside = [s for block in blocks(c) for s in block]
            return effect_free(c.test, names) and all(self._may_be_added(s, head) for s in inside)
        if ghost_call(c, names):
            return True
        name = assigned_name(c)
        return name is not None and name not in self.given_words and effect_free(assigned_value(c), names)

    def _look(self, s: ast.stmt) -> str:
        """A statement without the statements in it, as text that is equal exactly when it is the same."""
        look = self._looks.get(id(s))
        if look is None:
            look = self._looks[id(s)] = shape(s)
        return look


def shape(s: ast.stmt) -> str:
    """A statement's tree without positions, nested statements and unfoldings."""
    bare = copy.copy(s)
    for name in ("body", "orelse", "finalbody"):
        if isinstance(getattr(bare, name, None), list):
            # An absent part is another thing than an empty one.
            setattr(bare, name, [ast.Pass()] if getattr(bare, name) else [])
    if isinstance(bare, ast.Try):
        bare.handlers = [ast.ExceptHandler(h.type, h.name, [ast.Pass()]) for h in bare.handlers]
    return ast.dump(_WithoutUnfolding().visit(copy.deepcopy(bare)))


class _WithoutUnfolding(ast.NodeTransformer):
    """``Unfolding(P, e)`` is ``e`` in the program that runs."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "Unfolding" and len(node.args) == 2:
            return node.args[1]
        return node


def _every_block(s: ast.stmt) -> list[list[ast.stmt]]:
    """Statement lists of a statement by place, empty ones included."""
    out = [getattr(s, name) for name in ("body", "orelse", "finalbody") if isinstance(getattr(s, name, None), list)]
    out += [h.body for h in getattr(s, "handlers", ())]
    out += [c.body for c in getattr(s, "cases", ())]
    return out


def _all(node: ast.AST) -> list[ast.stmt]:
    return [n for n in ast.walk(node) if isinstance(n, ast.stmt)]
