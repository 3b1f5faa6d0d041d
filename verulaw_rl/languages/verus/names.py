"""What the names of a file stand for, as far as syntax says."""

from __future__ import annotations

from verulaw_rl.languages.graphs import on_cycles
from verulaw_rl.languages.lexed import Lexed, Range
from verulaw_rl.languages.parsed import flatten
from verulaw_rl.languages.verus.attributes import attribute
from verulaw_rl.languages.verus.declarations import Program
from verulaw_rl.languages.verus.syntax import Declaration

PLACEHOLDERS = frozenset({"todo", "unimplemented"})
"""Macros that stand for a body to be written."""
_UNVERIFIED = frozenset({"external_body", "external", "external_fn_specification"})


def is_placeholder(d: Declaration) -> bool:
    """Whether a body says only that it is to be written: ``{ todo!() }``, or nothing in the body of a proof."""
    if d.block is None:
        return False
    statements = [s for s in d.block.statements if s.kind != "empty"]
    if not statements:
        return d.kind == "lemma"
    only = statements[0]
    return len(statements) == 1 and only.kind == "macro" and bool(PLACEHOLDERS.intersection(only.names))


def is_unverified(lexed: Lexed, d: Declaration) -> bool:
    """Whether an attribute keeps the verifier from looking at the body."""
    return any(attribute(lexed, a).name in _UNVERIFIED for a in d.attributes)


def recursive_paths(program: Program) -> frozenset[str]:
    """Paths of callables that can reach themselves through calls, judged by names."""
    callables = [d for d in flatten(program.declarations) if d.callable and d.block is not None]
    by_name: dict[str, list[int]] = {}
    for index, d in enumerate(callables):
        by_name.setdefault(d.name, []).append(index)
    tokens = program.lexed.tokens
    edges: list[list[int]] = []
    for d in callables:
        own = {name for p in d.parameters for name in p.names} | {d.result_name}
        first, last = d.body or Range(0, 0)
        targets = {t.text for t in tokens[first:last] if t.text in by_name} - own
        edges.append([i for name in sorted(targets) for i in by_name[name]])
    return frozenset(callables[i].path for i in on_cycles(edges))
