"""The kind of each token of a program, and the regions that follow from it, for Dafny and Verus.

Which token is what, the ``regions`` module of each language decides.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from verulaw_rl.languages.base import Region, RegionKind, Span
from verulaw_rl.languages.lexed import Lexed

SPECIFICATION, ANNOTATION, EXECUTABLE = 0, 1, 2
_KINDS = (RegionKind.SPECIFICATION, RegionKind.ANNOTATION, RegionKind.EXECUTABLE)


@dataclass(slots=True)
class Marks:
    """The kind of each token, and which statements are proof text (by ``id`` of the node)."""

    tokens: bytearray
    proof: set[int] = field(default_factory=set)

    def is_proof(self, statement: object) -> bool:
        """Whether the statement is annotation as a whole."""
        return id(statement) in self.proof

    def set(self, first: int, last: int, kind: int) -> None:
        """Give the tokens ``[first, last)`` their kind."""
        if last > first:
            self.tokens[first:last] = bytes([kind]) * (last - first)


def regions(lexed: Lexed, marks: Marks) -> tuple[Region, ...]:
    """Runs of text of one kind; joined they are the source."""
    source, tokens = lexed.source, lexed.tokens
    found: list[Region] = []
    start = 0
    for index, token in enumerate(tokens):
        last = index + 1 == len(tokens)
        if last or marks.tokens[index + 1] != marks.tokens[index]:
            end = len(source) if last else token.end
            found.append(Region(_KINDS[marks.tokens[index]], Span(start, end)))
            start = end
    if not tokens and source:
        found.append(Region(RegionKind.SPECIFICATION, Span(0, len(source))))
    return tuple(found)
