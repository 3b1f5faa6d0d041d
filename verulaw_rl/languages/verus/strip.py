"""Programs without annotations, and programs without bodies.

What :func:`strip_annotations` removes is what benchmarks remove: clauses of loops, ``decreases`` of exec and proof
functions, assertions with their proofs, and ``calc!``, wherever they stand but in spec functions. Other ghost text
stays, but for ``proof`` blocks that have nothing left. :func:`strip_bodies` leaves ``todo!()`` in exec functions and an
empty proof in proof functions, since Verus takes no function without a body.
"""

from __future__ import annotations

from verulaw_rl.languages.base import Span
from verulaw_rl.languages.rewrites import Edit, apply_edits
from verulaw_rl.languages.spans import remove_spans
from verulaw_rl.languages.verus.names import is_placeholder, is_unverified
from verulaw_rl.languages.verus.regions import ASSERTIONS, PROOF_MACROS
from verulaw_rl.languages.verus.syntax import METHOD_KINDS, Declaration, Statement
from verulaw_rl.languages.verus.view import Reading, read


def strip_annotations(source: str) -> str:
    """The program without loop clauses, ``decreases``, assertions and calcs."""
    reading = read(source)
    spans: list[Span] = []
    for d in reading.declarations:
        if d.kind not in METHOD_KINDS:
            continue
        spans += [reading.span(g.first, g.open_end) for g in d.groups if g.kind == "decreases"]
        for visit in reading.bodies[id(d)].visits:
            s = visit.statement
            if s.is_loop:
                spans += [reading.span(g.first, g.last) for g in s.groups]
            elif visit.parent.braced and (_is_removed(s) or _is_emptied(s)):
                spans.append(reading.span(s.first, s.last))
    return remove_spans(reading.program.lexed, spans)


def strip_bodies(source: str) -> str:
    """The program with nothing in the bodies of exec and proof functions; contracts stay."""
    reading = read(source)
    edits = []
    for d in reading.declarations:
        if has_strippable_body(reading, d) and d.block is not None:
            block = reading.span(d.block.first, d.block.last)
            edits.append(Edit(block, "{\n}" if d.kind == "lemma" else "{\n    todo!()\n}"))
    return apply_edits(source, edits)


def has_strippable_body(reading: Reading, d: Declaration) -> bool:
    """Whether :func:`strip_bodies` takes something out of the declaration."""
    return d.block is not None and bool(d.block.statements) and not is_placeholder(d) and is_to_be_proved(reading, d)


def is_to_be_proved(reading: Reading, d: Declaration) -> bool:
    """Whether Verus looks at its body, and finds something to prove there."""
    if d.kind not in METHOD_KINDS or d.block is None or d.holder == "body":
        return False
    promises = bool(d.block.statements) or any(g.kind in ("ensures", "returns") for g in d.groups)
    return promises and not is_unverified(reading.program.lexed, d)


def _is_removed(s: Statement) -> bool:
    return s.kind in ASSERTIONS or s.kind == "calc" or (s.kind == "macro" and bool(PROOF_MACROS.intersection(s.names)))


def _is_emptied(s: Statement) -> bool:
    """Whether it is a ``proof`` block with nothing but what is removed."""
    if s.kind != "proof" or not s.blocks or not s.blocks[0].statements:
        return False
    return all(_is_removed(inner) or inner.kind == "empty" for inner in s.blocks[0].statements)
