"""Rewrites of a verified program: attacks that an audit must reject, and honest edits that it must accept.

A language says where its grammar allows what (:meth:`Language.rewrites`); what is the same everywhere is here:
the edits themselves, and the mutants of a specification that follow from its tokens and clauses.
``audit.attack`` makes candidates of them and sees what the audit says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from verulaw_rl.languages.attributes import Attribute
from verulaw_rl.languages.base import Clause, Span
from verulaw_rl.languages.lexed import Lexed, TokenKind


class Family(StrEnum):
    """What a rewrite is, and with that what the audit has to say of it."""

    SPECIFICATION = "specification"
    """Changes the specification or frozen code: to be rejected."""
    PROOF = "proof"
    """Adds something that is believed without proof: to be rejected."""
    HONEST = "honest"
    """Changes neither: to be accepted."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Text to put in place of a span; an empty span inserts."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One rewrite of a program. ``kind`` names what was done, e.g. ``clause_dropped``, ``assume``, ``layout``."""

    family: Family
    kind: str
    edits: tuple[Edit, ...]


class Word(NamedTuple):
    """A significant token: its text and character offsets ``[start, end)``."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Forms:
    """How a language writes what specification mutants are made of."""

    weaker: str
    """With ``{}`` for an expression: one that is always true."""
    stronger: str
    """With ``{}`` for an expression: one that is never true."""
    operators: Mapping[str, Sequence[str]]
    """What each operator may be swapped with."""
    quantifiers: Mapping[str, Sequence[str]]
    types: Mapping[str, Sequence[str]]


COMPARISONS = {
    "<": ("<=",),
    "<=": ("<",),
    ">": (">=",),
    ">=": (">",),
    "==": ("!=", "<="),
    "!=": ("==",),
}
"""What a comparison may be swapped with, in every language."""
OPERATORS = COMPARISONS | {
    "&&": ("||",),
    "||": ("&&",),
    "==>": ("<==>", "||"),
    "<==>": ("==>", "<=="),
    "+": ("-",),
    "-": ("+",),
    "*": ("+",),
    "/": ("*",),
    "%": ("/",),
    "old": ("",),
    "true": ("false",),
    "false": ("true",),
}
"""What Dafny and Verus write alike."""
QUANTIFIERS = {"forall": ("exists",), "exists": ("forall",)}
_SWAPPED = (TokenKind.WORD, TokenKind.NUMBER, TokenKind.OPERATOR)


def insertion(at: int, text: str) -> Edit:
    """Text to insert at an offset."""
    return Edit(Span(at, at), text)


def removal(span: Span) -> Edit:
    """A span to leave out; a blank stays, so that no two tokens are joined."""
    return Edit(span, " ")


def apply_edits(source: str, edits: Iterable[Edit]) -> str:
    """The source with edits made; their spans must not overlap. Insertions at one offset keep their order."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda e: (e.span.start, e.span.end)):
        pieces += source[at : edit.span.start], edit.text
        at = edit.span.end
    return "".join([*pieces, source[at:]])


def words_of(lexed: Lexed, attributes: Iterable[Attribute]) -> dict[int, Word]:
    """Tokens that mean something to a mutant, by index; those of attributes only steer the proof search."""
    steering = {i for a in attributes for i in range(a.first, a.last)}
    return {
        i: Word(t.text, t.start, t.end) for i, t in enumerate(lexed.tokens) if t.kind in _SWAPPED and i not in steering
    }


def token_mutants(words: Iterable[Word], forms: Forms, kind: str = "") -> Iterator[Rewrite]:
    """Operators and quantifiers swapped, numbers and types changed, one at a time.

    Args:
        words: tokens of the specification; those of strings and comments left out.
        forms: of the language.
        kind: name of every mutant; what was done to the token where it is empty.
    """
    tables = (
        ("operator_swapped", forms.operators),
        ("quantifier_swapped", forms.quantifiers),
        ("type_changed", forms.types),
    )
    for word in words:
        span = Span(word.start, word.end)
        for done, table in tables:
            for text in table.get(word.text, ()):
                yield Rewrite(Family.SPECIFICATION, kind or done, (Edit(span, text),))
        if word.text.isascii() and word.text.isdigit():
            text = str(int(word.text) + 1)
            yield Rewrite(Family.SPECIFICATION, kind or "bound_changed", (Edit(span, text),))


def clause_mutants(clauses: Iterable[Clause], forms: Forms, frames: Mapping[str, Sequence[str]]) -> Iterator[Rewrite]:
    """Clauses dropped, weakened and strengthened, frames widened and narrowed, one at a time.

    Args:
        clauses: of the specification.
        forms: of the language.
        frames: kinds of clauses that hold no formula (``modifies``, ``decreases``), each with forms to replace it by,
            ``{}`` for what it says.
    """
    for clause in clauses:
        yield Rewrite(Family.SPECIFICATION, "clause_dropped", (removal(clause.span),))
        if clause.kind in frames:
            for form in frames[clause.kind]:
                edit = Edit(clause.expression_span, form.replace("{}", clause.expression))
                yield Rewrite(Family.SPECIFICATION, "frame_changed", (edit,))
            continue
        for kind, form in (("clause_weakened", forms.weaker), ("clause_strengthened", forms.stronger)):
            edit = Edit(clause.expression_span, form.replace("{}", clause.expression))
            yield Rewrite(Family.SPECIFICATION, kind, (edit,))
