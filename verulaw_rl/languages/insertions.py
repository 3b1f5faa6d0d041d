"""Line insertions: how a candidate is handed in as lines added to the given program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


class InsertionError(ValueError):
    """An insertion that the given program has no place for; the message says why."""


@dataclass(frozen=True, slots=True)
class Insertion:
    """Text to insert as lines of its own after a line of the given (1-based; 0 is before the first)."""

    after_line: int
    text: str


def apply_insertions(given: str, insertions: Iterable[Insertion]) -> str:
    """The given with the insertions made; those after one line follow each other in their order.

    Raises:
        InsertionError: the given has no such line.
    """
    lines = given.split("\n")
    ends_in_newline = given.endswith("\n")
    if ends_in_newline or not given:
        lines.pop()
    placed: dict[int, list[str]] = {}
    for insertion in insertions:
        if not 0 <= insertion.after_line <= len(lines):
            raise InsertionError(f"the given has no line {insertion.after_line}; its lines are 1 to {len(lines)}")
        placed.setdefault(insertion.after_line, []).extend(insertion.text.removesuffix("\n").split("\n"))
    out = list(placed.get(0, ()))
    for number, line in enumerate(lines, start=1):
        out.append(line)
        out.extend(placed.get(number, ()))
    return "\n".join(out) + ("\n" if ends_in_newline else "")
