"""What the names of a file stand for, as far as syntax says: which calls and assignments are ghost.

Resolution is by simple name over the whole file and errs towards "executable": a call counts as a
lemma call only if every method-like declaration of that name is ghost, so neither a method that looks
like a lemma nor a second declaration of the same name turns frozen code into proof text.
"""

from __future__ import annotations

from dataclasses import dataclass

from verulaw_rl.languages.dafny.declarations import Program
from verulaw_rl.languages.dafny.syntax import METHOD_KINDS
from verulaw_rl.languages.graphs import on_cycles
from verulaw_rl.languages.lexed import Lexed, Range, TokenKind
from verulaw_rl.languages.parsed import flatten


@dataclass(frozen=True, slots=True)
class Names:
    """Name tables of one file."""

    ghost_calls: frozenset[str]
    """Names that only lemmas and ghost methods have."""
    executable_calls: frozenset[str]
    """Names that some compiled method has."""
    methods: frozenset[str]
    """All names of methods, constructors, lemmas and iterators."""
    ghost_fields: frozenset[str]
    """Field names that are ghost wherever they are declared."""


def collect_names(program: Program) -> Names:
    """The name tables of a program."""
    ghost: set[str] = set()
    executable: set[str] = set()
    ghost_fields: set[str] = set()
    other_fields: set[str] = set()
    for d in flatten(program.declarations):
        if d.kind in METHOD_KINDS:
            (ghost if d.ghost else executable).add(d.name)
        elif d.kind in ("field", "const"):
            (ghost_fields if "ghost" in d.modifiers else other_fields).add(d.name)
    return Names(
        frozenset(ghost - executable),
        frozenset(executable),
        frozenset(ghost | executable),
        frozenset(ghost_fields - other_fields),
    )


def callee(lexed: Lexed, expression: Range) -> str | None:
    """Simple name of what is called, if the expression is one call ``a.b<T>(…)``."""
    name: str | None = None
    last_bracket: str | None = None
    at = expression.first
    while at < expression.last:
        kind, text, _, _ = lexed.tokens[at]
        if text in ("(", "["):
            last_bracket = text
            at = lexed.closer.get(at, expression.last) + 1
            continue
        if text == "<":
            at = _behind_angle(lexed, at, expression.last)
            continue
        if kind == TokenKind.WORD:
            name, last_bracket = text, None
        elif text not in (".", "#"):
            return None
        at += 1
    return name if last_bracket == "(" else None


def _behind_angle(lexed: Lexed, at: int, last: int) -> int:
    depth = 0
    while at < last:
        text = lexed.tokens[at].text
        depth += (text == "<") - (text == ">")
        at += 1
        if depth == 0:
            break
    return at


def recursive_paths(program: Program) -> frozenset[str]:
    """Paths of callables that can reach themselves through calls, judged by names (Tarjan, iterative)."""
    callables = [d for d in flatten(program.declarations) if d.callable]
    by_name: dict[str, list[int]] = {}
    for index, d in enumerate(callables):
        by_name.setdefault(d.name, []).append(index)
    edges: list[list[int]] = []
    for d in callables:
        targets: set[str] = set()
        own = {p.name for p in d.parameters} | {p.name for p in d.results}
        ranges = [c.expression for c in d.clauses] if d.kind in ("function", "predicate") else []
        if d.body is not None:
            ranges.append(d.body)
        if d.by_method is not None:
            ranges.append(Range(d.by_method.first, d.by_method.last))
        for first, last in ranges:
            targets.update(t.text for t in program.lexed.tokens[first:last] if t.text in by_name)
        edges.append([i for name in sorted(targets - own) for i in by_name[name]])
    return frozenset(callables[i].path for i in on_cycles(edges))
