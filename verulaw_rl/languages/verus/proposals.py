"""Loop invariants to try in a Verus program, from templates. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from verulaw_rl.languages.base import DeclarationView, LoopProposals, LoopView, ProgramView
from verulaw_rl.languages.templates import before_body, bounds, comparisons, counted, partly


def proposals(program: ProgramView) -> tuple[LoopProposals, ...]:
    """For each ``while`` that states nothing yet: bounds, and what the contract says of all and of the part done."""
    out = []
    for declaration in program.declarations:
        for loop in declaration.loops:
            # Verus wants the invariants of a loop in one list, so one that has some is left as it is.
            if loop.body is None or loop.clauses:
                continue
            lines = tuple(f"            {e},\n" for e in dict.fromkeys(_expressions(program, declaration, loop)))
            if lines:
                out.append(before_body(program.source, loop.body.start, lines, "        invariant\n"))
    return tuple(out)


def _expressions(program: ProgramView, declaration: DeclarationView, loop: LoopView) -> Iterator[str]:
    assert loop.body is not None
    head = program.source[loop.span.start : loop.body.start]
    guard = list(comparisons(re.sub(r"^.*?\bwhile\b", "", head, flags=re.DOTALL))) if "while" in head else []
    for comparison in guard:
        yield from bounds(comparison)
    requires = [c.expression for c in declaration.clauses if c.kind == "requires"]
    ensures = [c.expression for c in declaration.clauses if c.kind == "ensures"]
    yield from (*requires, *ensures)
    yield from partly(ensures, counted(guard))
