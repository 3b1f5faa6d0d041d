"""Loop invariants to try in a Dafny program, from templates. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from verulaw_rl.languages.base import DeclarationView, LoopProposals, LoopView, ProgramView
from verulaw_rl.languages.templates import NAME, Comparison, before_body, bounds, comparisons, counted, partly


def proposals(program: ProgramView) -> tuple[LoopProposals, ...]:
    """For each loop with a body: bounds, signs, what the contract says, and what it says of the part that is done."""
    out = []
    for declaration in program.declarations:
        for loop in declaration.loops:
            if loop.body is None:
                continue
            has = {c.expression for c in loop.clauses if c.kind == "invariant"}
            wanted = dict.fromkeys(e for e in _expressions(program, declaration, loop) if e not in has)
            lines = tuple(f"    invariant {e}\n" for e in wanted)
            out.append(before_body(program.source, loop.body.start, lines))
    return tuple(out)


def _expressions(program: ProgramView, declaration: DeclarationView, loop: LoopView) -> Iterator[str]:
    assert loop.body is not None
    start = min((c.span.start for c in loop.clauses), default=loop.body.start)
    guard = list(_guard(program.source[loop.span.start : start]))
    for comparison in guard:
        yield from bounds(comparison)
    for name in _variables(program, declaration, loop):
        yield f"0 <= {name}"
    requires = [c.expression for c in declaration.clauses if c.kind == "requires"]
    ensures = [c.expression for c in declaration.clauses if c.kind == "ensures"]
    for expression in (*ensures, *requires):
        yield f"({expression})"
    pairs = counted(guard)
    yield from (f"({e})" for e in partly(ensures, pairs))
    for counter in dict.fromkeys(counter for _, counter in pairs):
        for array in re.findall(rf"({NAME}) : array <", declaration.signature):
            done, rest = f"0 <= k < {counter}", f"{counter} <= k < {array}.Length"
            yield from (f"forall k :: {span} ==> {array}[k] == old({array}[k])" for span in (rest, done))


def _guard(head: str) -> Iterator[Comparison]:
    """Comparisons of a guard; of ``for i := lo to hi`` its bounds as comparisons."""
    loop = re.match(rf"for\s+({NAME})[^:]*:=\s*(.+?)\s+(?:to|downto)\s+(.+?)\s*$", head, re.DOTALL)
    if loop:
        yield loop[1], "<", loop[3]
        yield loop[2], "<=", loop[1]
    else:
        yield from comparisons(re.sub(r"^\s*while\b", "", head))


def _variables(program: ProgramView, declaration: DeclarationView, loop: LoopView) -> list[str]:
    """Names declared before the loop: results, and local variables by their ``var``."""
    names = re.findall(rf"({NAME}) : (?:int|nat)\b", declaration.signature)
    assert declaration.body is not None
    for names_of in re.findall(
        rf"\bvar\s+({NAME}(?:\s*:[^,;:=]*)?(?:\s*,\s*{NAME}(?:\s*:[^,;:=]*)?)*)",
        program.source[declaration.body.start : loop.span.start],
    ):
        names += [re.split(r"\s*:", part.strip())[0] for part in names_of.split(",")]
    return list(dict.fromkeys(names))
