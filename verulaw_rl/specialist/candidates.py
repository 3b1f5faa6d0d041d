"""Candidate annotations from templates: one function per language that has them, listed in :data:`PROPOSERS`.

For each loop: bounds from its guard, signs of the variables, what the contract requires, and what it promises, as it
stands and for the part of the work that is done (the guard's bound replaced by its counter). They may be false or
not even resolve: the verifier sorts them out. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from verulaw_rl.languages.base import DeclarationView, LoopView, ProgramView

MAX_PER_LOOP = 48

_NAME = r"[A-Za-z_][\w']*"
_COMPARISON = re.compile(r"^\s*(.+?)\s*(<=|>=|!=|==|<|>)\s*(.+?)\s*$", re.DOTALL)


def candidates_of(language: str, view: ProgramView) -> str | None:
    """The program with every candidate in it; ``None`` where the language has no templates or the program no loop."""
    propose = PROPOSERS.get(language)
    if propose is None or view.error is not None:
        return None
    insertions = list(propose(view))
    text = view.source
    for at, lines in sorted(insertions, reverse=True):
        text = text[:at] + lines + text[at:]
    return text if insertions else None


def _dafny(view: ProgramView) -> Iterator[tuple[int, str]]:
    """Invariants right before each loop's body: (offset, text)."""
    for declaration in view.declarations:
        for loop in declaration.loops:
            if loop.body is None:
                continue
            has = {c.expression for c in loop.clauses if c.kind == "invariant"}
            wanted = [e for e in dict.fromkeys(_loop_candidates(view, declaration, loop)) if e not in has]
            lines = "".join(f"    invariant {e}\n" for e in wanted[:MAX_PER_LOOP])
            yield loop.body.start, f"\n{lines}  "


def _loop_candidates(view: ProgramView, declaration: DeclarationView, loop: LoopView) -> Iterator[str]:
    assert loop.body is not None
    start = min((c.span.start for c in loop.clauses), default=loop.body.start)
    head = view.source[loop.span.start : start]
    comparisons = list(_comparisons(head))
    for left, operator, right in comparisons:
        yield from _bounds(left, operator, right)
    for name in _variables(view, declaration, loop):
        yield f"0 <= {name}"
    requires = [c.expression for c in declaration.clauses if c.kind == "requires"]
    ensures = [c.expression for c in declaration.clauses if c.kind == "ensures"]
    for expression in (*ensures, *requires):
        yield f"({expression})"
    swaps = [(bound, counter) for a, _, b in comparisons for bound, counter in ((b, a), (a, b)) if _is_counter(counter)]
    for expression in ensures:
        for bound, counter in swaps:
            yield from _partly(expression, bound, counter)
    for counter in {counter for _, counter in swaps}:
        for array in re.findall(rf"({_NAME}) : array <", declaration.signature):
            done, rest = f"0 <= k < {counter}", f"{counter} <= k < {array}.Length"
            yield from (f"forall k :: {span} ==> {array}[k] == old({array}[k])" for span in (rest, done))


def _comparisons(head: str) -> Iterator[tuple[str, str, str]]:
    """Comparisons of a guard; of ``for i := lo to hi`` its bounds as comparisons."""
    counted = re.match(rf"for\s+({_NAME})[^:]*:=\s*(.+?)\s+(?:to|downto)\s+(.+?)\s*$", head, re.DOTALL)
    if counted:
        yield counted[1], "<", counted[3]
        yield counted[2], "<=", counted[1]
        return
    guard = re.sub(r"^\s*while\b", "", head)
    for part in re.split(r"&&|\|\|", guard):
        part = part.strip()
        while part.startswith("(") and part.endswith(")"):
            part = part[1:-1].strip()
        if (found := _COMPARISON.match(part)) is not None and "::" not in part:
            yield found[1], found[2], found[3]


def _bounds(left: str, operator: str, right: str) -> Iterator[str]:
    """What holds before and after the last iteration of a loop that runs while ``left operator right``."""
    yield from {
        "<": [f"{left} <= {right}"],
        "<=": [f"{left} <= {right} + 1"],
        ">": [f"{left} >= {right}"],
        ">=": [f"{left} >= {right} - 1"],
        "!=": [f"{left} <= {right}", f"{left} >= {right}"],
        "==": [],
    }[operator]


def _variables(view: ProgramView, declaration: DeclarationView, loop: LoopView) -> list[str]:
    """Names declared before the loop: results, and local variables by their ``var``."""
    names = re.findall(rf"({_NAME}) : (?:int|nat)\b", declaration.signature)
    assert declaration.body is not None
    for names_of in re.findall(
        rf"\bvar\s+({_NAME}(?:\s*:[^,;:=]*)?(?:\s*,\s*{_NAME}(?:\s*:[^,;:=]*)?)*)",
        view.source[declaration.body.start : loop.span.start],
    ):
        names += [re.split(r"\s*:", part.strip())[0] for part in names_of.split(",")]
    return list(dict.fromkeys(names))


def _is_counter(text: str) -> bool:
    return re.fullmatch(_NAME, text) is not None


def _partly(expression: str, bound: str, counter: str) -> Iterator[str]:
    """A promise for the part that is done: the bound replaced by the counter, or the part that begins at it."""
    swapped = _swap(expression, bound, counter)
    if swapped != expression:
        yield f"({swapped})"
    from_there = re.sub(r"\b0(?=\s*<=)", counter, expression)
    if from_there != expression:
        yield f"({from_there})"


def _swap(expression: str, old: str, new: str) -> str:
    before = r"(?<![\w'.])" if old[0].isalnum() or old[0] == "_" else ""
    after = r"(?![\w'.\[])" if old[-1].isalnum() or old[-1] == "_" else ""
    return re.sub(before + re.escape(old) + after, lambda _: new, expression)


PROPOSERS: dict[str, Callable[[ProgramView], Iterator[tuple[int, str]]]] = {"dafny": _dafny}
"""By language: offsets of a program and the candidates to insert there."""
