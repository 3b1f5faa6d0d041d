"""Templates of loop invariants that languages share, on the text of guards and clauses. Pure.

For a loop: bounds from its guard, and what the contract promises for the part of the work that is done: the guard's
bound replaced by its counter. What comes out may be false or not even resolve: the verifier sorts it out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from verulaw_rl.languages.base import LoopProposals

Comparison = tuple[str, str, str]
"""Left side, operator, right side."""

NAME = r"[A-Za-z_][\w']*"
_COMPARISON = re.compile(r"^\s*(.+?)\s*(<=|>=|!=|==|<|>)\s*(.+?)\s*$", re.DOTALL)
_CONNECTIVE = re.compile(r"&&|\|\||\band\b|\bor\b")


def comparisons(guard: str) -> Iterator[Comparison]:
    """The comparisons that a guard is joined of; what is quantified is none."""
    for part in _CONNECTIVE.split(_bare(guard)):
        part = _bare(part)
        if (found := _COMPARISON.match(part)) is not None and "::" not in part and _balanced(part):
            yield found[1], found[2], found[3]


def _bare(text: str) -> str:
    """Without the parentheses around the whole."""
    text = text.strip()
    while text.startswith("(") and text.endswith(")") and _balanced(text[1:-1]):
        text = text[1:-1].strip()
    return text


def _balanced(text: str) -> bool:
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0


def bounds(comparison: Comparison) -> list[str]:
    """What holds before and after the last iteration of a loop that runs while the comparison holds."""
    left, operator, right = comparison
    return {
        "<": [f"{left} <= {right}"],
        "<=": [f"{left} <= {right} + 1"],
        ">": [f"{left} >= {right}"],
        ">=": [f"{left} >= {right} - 1"],
        "!=": [f"{left} <= {right}", f"{left} >= {right}"],
        "==": [],
    }[operator]


def counted(found: Iterable[Comparison]) -> list[tuple[str, str]]:
    """(bound, counter) of each comparison with a plain name on one side, either way round."""
    both = [pair for left, _, right in found for pair in ((right, left), (left, right))]
    return [(bound, counter) for bound, counter in both if re.fullmatch(NAME, counter)]


def partly(promises: Iterable[str], pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Promises for the part that is done: each bound replaced by its counter, or the part that begins at it."""
    for promise in promises:
        for bound, counter in pairs:
            swapped = _swap(promise, bound, counter)
            from_there = re.sub(r"\b0(?=\s*<=)", counter, promise)
            yield from (e for e in (swapped, from_there) if e != promise)


def _swap(expression: str, old: str, new: str) -> str:
    """The expression with whole occurrences of a term replaced."""
    before = r"(?<![\w'.])" if old[0].isalnum() or old[0] == "_" else ""
    after = r"(?![\w'.\[])" if old[-1].isalnum() or old[-1] == "_" else ""
    return re.sub(before + re.escape(old) + after, lambda _: new, expression)


def before_body(source: str, start: int, lines: tuple[str, ...], keyword: str = "") -> LoopProposals:
    """Proposals between a loop's head and its body, on lines of their own.

    Args:
        source: the program.
        start: where the body's brace is.
        lines: one invariant each.
        keyword: line that they stand under, if any.
    """
    line_start = source.rfind("\n", 0, start) + 1
    if source[line_start:start].strip():
        return LoopProposals(start, lines, before=f"\n{keyword}", after="    ")
    return LoopProposals(line_start, lines, before=keyword)
