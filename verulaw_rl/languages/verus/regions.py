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

from verulaw_rl.languages.attributes import Effect
from verulaw_rl.languages.marks import ANNOTATION, EXECUTABLE, SPECIFICATION, Marks
from verulaw_rl.languages.parsed import flatten
from verulaw_rl.languages.verus.attributes import attribute
from verulaw_rl.languages.verus.declarations import Program
from verulaw_rl.languages.verus.syntax import Block, Declaration, Statement

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
        marks.set(first, last, ANNOTATION)
    return marks


class _Marker:
    def __init__(self, program: Program, marks: Marks) -> None:
        self.lexed = program.lexed
        self.marks = marks

    def declaration(self, d: Declaration) -> None:
        if d.kind in ("method", "lemma"):
            for group in d.groups:
                if group.kind == "decreases":
                    self.marks.set(group.first, group.open_end, ANNOTATION)
        if d.block is None:
            return
        if d.kind == "lemma":
            self.marks.set(d.block.first, d.block.last, ANNOTATION)
        else:
            self.marks.set(d.block.first, d.block.last, EXECUTABLE if d.kind == "method" else SPECIFICATION)
            self._block(d.block)

    def _block(self, block: Block) -> None:
        for s in block.statements:
            self._statement(s)

    def _statement(self, s: Statement) -> None:
        if is_proof(s):
            self.marks.proof.add(id(s))
            self.marks.set(s.first, s.last, ANNOTATION)
            return
        if s.is_loop:
            for found in s.attributes:
                if attribute(self.lexed, found).effect is Effect.STEERING:
                    self.marks.set(*found, ANNOTATION)
            for group in s.groups:
                self.marks.set(group.first, group.last, ANNOTATION)
        for block in s.blocks:
            self._block(block)
