"""Facts of a reference proof that a given program lacks, as hidden checks at points that executable text fixes.

Each conjunct is a fact of its own, permissions among them: who has to find that a loop keeps ``Acc(list_pred(a))``
is asked for that too.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from verulaw_rl.languages.base import AnnotationProbe, Category, Point
from verulaw_rl.languages.nagini.program import Body
from verulaw_rl.languages.nagini.view import Reading, asserted, conjuncts, invariant, read
from verulaw_rl.languages.nagini.words import OBLIGATIONS, mentions

_ONLY_IN_LOOPS = frozenset({"Previous"})


@dataclass(frozen=True, slots=True)
class _Fact:
    """One conjunct of an annotation."""

    category: Category
    declaration: str
    points: tuple[Point, ...]
    formula: ast.expr

    @property
    def text(self) -> str:
        return ast.unparse(self.formula)

    @property
    def key(self) -> tuple[Category, str, Point, str]:
        return (self.category, self.declaration, self.points[0], self.text)


def probes(reference: str, given: str) -> tuple[AnnotationProbe, ...]:
    """One probe for each conjunct of an invariant or assertion of a method that only the reference has.

    Left out: what stands inside proof-only branches (nothing fixes its place), proofs of ghost methods, promises to
    terminate (no facts), and facts about ghost variables that only the reference has.
    """
    ours, theirs = read(reference), read(given)
    known = Counter(fact.key for body in _bodies(theirs) for fact in _facts(theirs, body))
    found: list[AnnotationProbe] = []
    for body in _bodies(ours):
        d = body.definition
        other = theirs.by_path.get(d.path)
        given_ghosts = theirs.proofs[id(other)].variables if other is not None and other.is_method else frozenset()
        hidden = ours.proofs[id(d)].variables - given_ghosts
        for fact in _facts(ours, body):
            if known[fact.key] > 0:
                known[fact.key] -= 1
            elif not mentions(fact.formula, hidden | OBLIGATIONS):
                found.append(AnnotationProbe(fact.category, fact.declaration, fact.points, fact.text))
    return tuple(found)


def _bodies(reading: Reading) -> Iterator[Body]:
    for d in reading.definitions:
        if d.is_method and not d.trusted and d.name not in reading.names.ghost:
            yield reading.bodies[id(d)]


def _facts(reading: Reading, body: Body) -> Iterator[_Fact]:
    path = body.definition.path
    for v in body.visits:
        formula = invariant(v)
        if formula is not None and v.loop is not None:
            for part in conjuncts(formula):
                head, behind = Point("loop_head", v.loop), Point("after_loop", v.loop)
                points = (head,) if mentions(part, _ONLY_IN_LOOPS) else (head, behind)
                yield _Fact(Category.INVARIANT, path, points, part)
            continue
        formula = asserted(v.node)
        if formula is not None and id(v.node) in body.slot_of:
            for part in conjuncts(formula):
                yield _Fact(Category.ASSERTION, path, (Point("token", body.slot_of[id(v.node)]),), part)
