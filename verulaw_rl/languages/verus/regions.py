"""Which tokens are specification, annotation or executable.

* SPECIFICATION: all that is outside of bodies (signatures, contracts, attributes, types, constants), everything
  outside of ``verus! { }``, and spec functions whole, with their ``decreases``: without it Verus refuses the
  program before it looks at anything, so it is part of the definition.
* ANNOTATION: ``decreases`` of exec and proof functions; clauses of loops; asserts, ``assume``, ``calc!``, assertion
  macros, ``proof`` blocks, ``reveal``, ``broadcast use``; ``let ghost`` and ``let tracked``; attributes in front of
  loops that only steer the search; whole bodies of proof functions; proof text inside spec functions.
* EXECUTABLE: the rest of the bodies of exec functions. An ``if`` around proof text is one: its condition is run.

White space and comments belong to the token behind them. Where the parser could not read (``error`` is set then),
what it stepped over counts as annotation.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from verulaw_rl.languages.attributes import Effect
from verulaw_rl.languages.base import Region, RegionKind, Span
from verulaw_rl.languages.verus.attributes import attribute
from verulaw_rl.languages.verus.declarations import Program
from verulaw_rl.languages.verus.names import flatten
from verulaw_rl.languages.verus.syntax import Block, Declaration, Statement

SPECIFICATION, ANNOTATION, EXECUTABLE = 0, 1, 2
_KINDS = (RegionKind.SPECIFICATION, RegionKind.ANNOTATION, RegionKind.EXECUTABLE)
PROOF_MACROS = frozenset(
    {
        "assert_by_contradiction",
        "assert_seqs_equal",
        "assert_sets_equal",
        "assert_maps_equal",
        "assert_multisets_equal",
        "assert_imaps_equal",
        "assert_isets_equal",
        "assert_seqs_equal_internal",
    }
)
"""Macros of vstd that state and prove something."""
ASSERTIONS = frozenset({"assert", "assert_forall"})
_PROOF = ASSERTIONS | {"assume", "proof", "calc", "reveal", "broadcast", "empty", "error"}


@dataclass(slots=True)
class Marks:
    """The kind of each token, and which statements are proof text (by ``id`` of the node)."""

    tokens: bytearray
    proof: set[int] = field(default_factory=set)

    def is_proof(self, statement: Statement) -> bool:
        """Whether the statement is annotation as a whole."""
        return id(statement) in self.proof


def is_proof(s: Statement) -> bool:
    """Whether a statement of compiled code leaves nothing in the compiled program."""
    if s.kind == "let":
        return s.mode != ""
    return s.kind in _PROOF or (s.kind == "macro" and bool(PROOF_MACROS.intersection(s.names)))


def mark(program: Program) -> Marks:
    """Give each token its kind."""
    marks = Marks(bytearray(len(program.lexed.tokens)))
    marker = _Marker(program, marks)
    for declaration in flatten(program.declarations):
        marker.declaration(declaration)
    for first, last in program.garbage:
        marker.set(first, last, ANNOTATION)
    return marks


def regions(program: Program, marks: Marks) -> tuple[Region, ...]:
    """Runs of text of one kind; joined they are the source."""
    source, tokens = program.lexed.source, program.lexed.tokens
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


class _Marker:
    def __init__(self, program: Program, marks: Marks) -> None:
        self.lexed = program.lexed
        self.marks = marks

    def declaration(self, d: Declaration) -> None:
        if d.kind in ("method", "lemma"):
            for group in d.groups:
                if group.kind == "decreases":
                    self.set(group.first, group.open_end, ANNOTATION)
        if d.block is None:
            return
        if d.kind == "lemma":
            self.set(d.block.first, d.block.last, ANNOTATION)
        else:
            self.set(d.block.first, d.block.last, EXECUTABLE if d.kind == "method" else SPECIFICATION)
            self._block(d.block)

    def set(self, first: int, last: int, kind: int) -> None:
        """Give the tokens ``[first, last)`` their kind."""
        if last > first:
            self.marks.tokens[first:last] = bytes([kind]) * (last - first)

    def _block(self, block: Block) -> None:
        for s in block.statements:
            self._statement(s)

    def _statement(self, s: Statement) -> None:
        if is_proof(s):
            self.marks.proof.add(id(s))
            self.set(s.first, s.last, ANNOTATION)
            return
        if s.is_loop:
            for found in s.attributes:
                if attribute(self.lexed, found).effect is Effect.STEERING:
                    self.set(*found, ANNOTATION)
            for group in s.groups:
                self.set(group.first, group.last, ANNOTATION)
        for block in s.blocks:
            self._block(block)
