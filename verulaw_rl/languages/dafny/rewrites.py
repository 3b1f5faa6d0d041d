"""Rewrites of a verified Dafny program; what ``verulaw-rl attack`` makes candidates of.

Specification mutants are here; ``escape_rewrites`` and ``honest_rewrites`` hold the other two families. All work on
the tree, so that a rewrite stands wherever the grammar has room for it: in modules, classes and datatypes, in
by-blocks, calc hints and statements inside expressions.
"""

from __future__ import annotations

from collections.abc import Iterator

from verulaw_rl.languages.base import Span, Task
from verulaw_rl.languages.dafny.attributes import attributes_in
from verulaw_rl.languages.dafny.escape_rewrites import escape_rewrites
from verulaw_rl.languages.dafny.honest_rewrites import honest_rewrites
from verulaw_rl.languages.dafny.syntax import FUNCTION_KINDS, Declaration
from verulaw_rl.languages.dafny.view import Reading, read
from verulaw_rl.languages.marks import EXECUTABLE, SPECIFICATION
from verulaw_rl.languages.rewrites import (
    OPERATORS,
    QUANTIFIERS,
    Family,
    Forms,
    Rewrite,
    clause_mutants,
    insertion,
    removal,
    token_mutants,
    words_of,
)

FORMS = Forms(
    weaker="({}) || true",
    stronger="({}) && false",
    operators=OPERATORS
    | {
        "in": ("!in",),
        "!in": ("in",),
        "!": ("",),
        "fresh": ("",),
        "then": ("then false &&",),
    },
    quantifiers=QUANTIFIERS,
    types={
        "int": ("nat", "real"),
        "nat": ("int",),
        "real": ("int",),
        "bool": ("int",),
        "char": ("int",),
        "seq": ("set",),
        "set": ("iset", "multiset"),
        "map": ("imap",),
        "array": ("array?",),
        "string": ("seq<int>",),
        "method": ("ghost method",),
        "lemma": ("method",),
        "ghost": ("",),
        "static": ("",),
    },
)
_FRAMES = {
    "modifies": ("{}, set o: object | true :: o", "set o: object | false :: o"),
    "reads": ("*", "set o: object | false :: o"),
    "decreases": ("*", "0, {}", "0"),
}


def rewrites(task: Task, reference: str) -> Iterator[Rewrite]:
    """Every rewrite that this language knows, places in source order."""
    reading = read(reference)
    yield from _mutants(task, reading)
    yield from escape_rewrites(task, reading)
    yield from honest_rewrites(task, reading)


def _mutants(task: Task, reading: Reading) -> Iterator[Rewrite]:
    """Mutants of the specification and, in annotation repair, of the frozen code."""
    lexed = reading.program.lexed
    words = words_of(lexed, attributes_in(lexed, 0, len(lexed.tokens)))
    helpers = [d.body for d in reading.declarations if d.kind in FUNCTION_KINDS and d.body is not None]
    inside = {i for body in helpers for i in range(*body)}
    marks = reading.marks.tokens
    contract = [i for i in words if marks[i] == SPECIFICATION and i not in inside]
    yield from token_mutants([words[i] for i in contract], FORMS)
    helper = [i for i in words if marks[i] == SPECIFICATION and i in inside]
    yield from token_mutants([words[i] for i in helper], FORMS, "helper_changed")
    for d, view in zip(reading.declarations, reading.view.declarations, strict=True):
        fixed = [c for c in view.clauses if c.kind != "decreases" or task is Task.CODE_GENERATION]
        yield from clause_mutants(fixed, FORMS, _FRAMES)
        yield from _declaration(reading, d)
    if task is Task.ANNOTATION_REPAIR:
        code = [i for i in words if marks[i] == EXECUTABLE]
        yield from token_mutants([words[i] for i in code], FORMS, "code_changed")
        yield from _statements_dropped(reading)


def _declaration(reading: Reading, d: Declaration) -> Iterator[Rewrite]:
    """A declaration gone, opened to nothing, or captured by another of its name."""
    span = _whole(reading, d)
    yield Rewrite(Family.SPECIFICATION, "declaration_dropped", (removal(span),))
    lexed = reading.program.lexed
    if d.kind in FUNCTION_KINDS and d.body is not None:
        edit = insertion(span.end, f"\nclass Outer__ {{ predicate {d.name}() {{ true }} }}\n")
        yield Rewrite(Family.SPECIFICATION, "name_captured", (edit,))
    clauses_end = lexed.tokens[d.signature.last - 1].end if d.signature.last > d.signature.first else span.start
    if d.callable:
        for text in (" requires false", " ensures true"):
            yield Rewrite(Family.SPECIFICATION, "clause_added", (insertion(clauses_end, text),))
        if d.kind not in FUNCTION_KINDS:
            edit = insertion(clauses_end, " modifies set o: object | true :: o")
            yield Rewrite(Family.SPECIFICATION, "frame_changed", (edit,))
        else:
            yield Rewrite(Family.SPECIFICATION, "frame_changed", (insertion(clauses_end, " reads *"),))


def _whole(reading: Reading, d: Declaration) -> Span:
    return reading.span(d.first, d.last)


def _statements_dropped(reading: Reading) -> Iterator[Rewrite]:
    for body in reading.bodies.values():
        for visit in body.visits:
            s = visit.statement
            if not (visit.in_proof or visit.embedded or body.declaration.ghost) and s.kind not in ("empty", "error"):
                yield Rewrite(Family.SPECIFICATION, "code_changed", (removal(reading.span(s.first, s.last)),))
