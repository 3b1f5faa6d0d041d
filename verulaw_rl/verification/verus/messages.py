"""What each message of Verus means: category and kind.

Texts are those of Verus's source (``vir``: ``ast_to_sst``, ``sst_to_air``, ``inv_masks``, ``recursion``, ``def``) at
commit eb66c53 of 2026-08. :func:`classify` gives ``None`` for a text that is not here: a program may choose the words
of a message (``proof_note`` with ``custom_err``), and new releases bring new ones; the caller then goes by the place.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from verulaw_rl.languages.base import Category


class Meaning(NamedTuple):
    """Category and finer kind of a message."""

    category: Category
    kind: str


_P, _I, _A = Category.POSTCONDITION, Category.INVARIANT, Category.ASSERTION
_S, _T = Category.SAFETY, Category.TERMINATION

OTHER = Meaning(_S, "other")
"""A failed check that nothing tells more of."""

# Matched in order against the whole first line of a message. The first that fits counts.
_TABLE: tuple[tuple[str, Category, str], ...] = (
    (r"postcondition not satisfied", _P, "postcondition"),
    (r"postcondition not satisfied, Singular cannot prove.*", _P, "postcondition"),
    (r"unable to prove post-condition of closure", _P, "closure_postcondition"),
    (r"split postcondition failure", _P, "postcondition"),
    (r"precondition not satisfied", _S, "precondition"),
    (r"split precondition failure", _S, "precondition"),
    (r"precondition not met: index in bounds.*", _S, "index"),
    (r"(precondition|requirement) not met: .*", _S, "precondition"),
    (r"possible arithmetic underflow/overflow", _S, "overflow"),
    (r"possible division by zero", _S, "division"),
    (r"possible bit shift underflow/overflow", _S, "shift"),
    (r"invariant not satisfied before loop", _I, "invariant_entry"),
    (r"invariant not satisfied at end of loop body", _I, "invariant_maintained"),
    (r"loop invariant not satisfied", _I, "invariant_exit"),
    (r"assertion (failed|failure)", _A, "assertion"),
    (r"split assertion failure", _A, "assertion"),
    (r"assertion failed: simplified to .*|simplified to .*", _A, "compute"),
    (r"requires not satisfied", _A, "assert_requires"),
    (r"bitvector assertion not satisfied.*", _A, "bit_vector"),
    (r"(assert_by_compute_only|assert_by_compute) (failed|timed out).*", _A, "compute"),
    (r"(failed to simplify|expression simplifies to false).*", _A, "compute"),
    (r"decreases not satisfied at (end of loop|continue)", _T, "decreases"),
    (r"could not prove termination", _T, "recursion"),
    (r"unable to show termination via `decreases_by` lemma", _T, "recursion"),
    (r"[Cc]annot show this call will not unwind.*", _S, "unwind"),
    (r"callee may open invariants.*", _S, "open_invariants"),
    (r"cannot show (this )?invariant namespace is .*", _S, "open_invariants"),
    (r"possible invariant collision.*", _S, "open_invariants"),
    (r"Cannot show invariant holds at end of block", _S, "atomic_invariant"),
    (r"(constructed )?value may fail to meet its declared type invariant.*", _S, "type_invariant"),
    (r"cannot show (the )?atomic .*", _S, "atomic"),
)
_MEANINGS = tuple((re.compile(pattern), Meaning(category, kind)) for pattern, category, kind in _TABLE)

# Refusals before any proof that nevertheless say what is not proved, rather than that the text makes no sense.
_REFUSALS: tuple[tuple[str, Category, str], ...] = (
    (r"loop must have a decreases clause", _T, "decreases_missing"),
    (r"recursive function must have a decreases clause", _T, "decreases_missing"),
    (r"panic is not supported.*", _S, "panic"),
)
_REFUSED = tuple((re.compile(pattern), Meaning(category, kind)) for pattern, category, kind in _REFUSALS)

REFUSAL_KINDS = frozenset(kind for _, _, kind in _REFUSALS)

_RESOURCE = re.compile(r"(.*: )?Resource limit \(rlimit\) exceeded.*")
_TRUNCATED = re.compile(r"(.*: )?not all errors may have been reported.*")
_CLOSING = re.compile(r"aborting due to .*|could not compile .*|For more information about .*|Some errors have .*")


def classify(text: str) -> Meaning | None:
    """The meaning of a failed check's message."""
    return _first(_MEANINGS, text)


def refusal(text: str) -> Meaning | None:
    """The meaning of an error that stopped Verus before any proof, where it is an unmet obligation."""
    return _first(_REFUSED, text)


def is_resource(text: str) -> bool:
    """Whether the solver ran out on a function or loop."""
    return _RESOURCE.fullmatch(_head(text)) is not None


def is_truncated(text: str) -> bool:
    """Whether the list of errors was cut short."""
    return _TRUNCATED.fullmatch(_head(text)) is not None


def is_closing(text: str) -> bool:
    """Whether it is rustc's closing line rather than an error of its own."""
    return _CLOSING.fullmatch(_head(text)) is not None


def _first(table: tuple[tuple[re.Pattern[str], Meaning], ...], text: str) -> Meaning | None:
    head = _head(text)
    return next((meaning for pattern, meaning in table if pattern.fullmatch(head)), None)


def _head(text: str) -> str:
    return text.split("\n", 1)[0].strip()
