"""Text that a candidate has and its given does not: what ``specification`` hands to ``escapes``."""

from __future__ import annotations

from dataclasses import dataclass, field

from verulaw_rl.languages.attributes import Attribute
from verulaw_rl.languages.lexed import Range
from verulaw_rl.languages.verus.attributes import attribute, attributes_in
from verulaw_rl.languages.verus.syntax import Declaration, Statement
from verulaw_rl.languages.verus.view import Reading


@dataclass(slots=True)
class Added:
    """Text of the candidate that the given does not have, in one declaration.

    ``tokens`` are searched for forbidden words and attributes, ``statements`` for forbidden shapes.
    """

    declaration: Declaration
    tokens: list[Range] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    """An implementation that the candidate wrote."""
    whole: bool = False
    """The declaration itself is added."""


def whole(reading: Reading, d: Declaration) -> Added:
    """A whole declaration, without its members, as added text."""
    last = d.body.first if d.members and d.body is not None and d.block is None else d.last
    statements = [v.statement for v in reading.bodies[id(d)].visits] if d.kind == "method" else []
    return Added(d, [Range(d.first, last)], statements, whole=True)


def header(reading: Reading, d: Declaration) -> tuple[list[str], list[Attribute]]:
    """Tokens of a declaration outside of clauses and bodies, and the attributes among them apart."""
    lexed = reading.program.lexed
    attributes = [attribute(lexed, a) for a in d.attributes]
    attributes += list(attributes_in(lexed, *d.signature))
    covered = {i for a in attributes for i in range(a.first, a.last)}
    words = [lexed.tokens[i].text for i in range(*d.signature) if i not in covered]
    while words and words[-1] in (",", ";"):
        words.pop()
    return words, attributes
