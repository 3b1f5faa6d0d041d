"""Text that a candidate has and its given does not: what ``specification`` hands to ``escapes``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from verulaw_rl.languages.attributes import Attribute
from verulaw_rl.languages.dafny.attributes import attributes_in
from verulaw_rl.languages.dafny.syntax import METHOD_KINDS, ClauseNode, Declaration, Statement
from verulaw_rl.languages.dafny.view import Reading
from verulaw_rl.languages.lexed import Range


@dataclass(slots=True)
class Added:
    """Text of the candidate that the given does not have, in one declaration.

    ``tokens`` are searched for forbidden words and attributes, the nodes for forbidden shapes.
    """

    declaration: Declaration
    tokens: list[Range] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    clauses: list[ClauseNode] = field(default_factory=list)
    whole: bool = False
    """The declaration itself is added."""
    executable: bool = False
    """The statements are an implementation that the candidate wrote."""


def whole(d: Declaration) -> Added:
    """A whole declaration, without its members, as added text."""
    last = d.last
    if d.members and d.body is not None:
        last = d.body.first
    statements = [
        *d.embedded,
        *(d.block.statements if d.block else ()),
        *(d.by_method.statements if d.by_method else ()),
    ]
    computes = d.kind in METHOD_KINDS or "method" in d.modifiers or d.by_method is not None
    executable = not d.ghost and computes
    return Added(d, [Range(d.first, last)], statements, list(d.clauses), whole=True, executable=executable)


def header(reading: Reading, d: Declaration) -> tuple[list[str], list[Attribute]]:
    """Tokens of a declaration outside of clauses and bodies, and the attributes among them apart."""
    lexed = reading.program.lexed
    ranges = [d.signature]
    if d.kind == "field":
        ranges.insert(0, Range(d.first, min(d.keyword + 1, d.signature.first)))
        between = Range(d.keyword + 1, d.signature.first)
        ranges.insert(1, between if lexed.canonical(*between).startswith("{ :") else Range(0, 0))
    attributes = [a for first, last in ranges for a in attributes_in(lexed, first, last)]
    covered = {i for a in attributes for i in range(a.first, a.last)}
    words = [lexed.tokens[i].text for first, last in ranges for i in range(first, last) if i not in covered]
    return words, attributes


def parents(declarations: Iterable[Declaration]) -> dict[int, Declaration]:
    """The declaration that holds each member, by ``id`` of the member."""
    return {id(member): d for d in declarations for member in d.members}
