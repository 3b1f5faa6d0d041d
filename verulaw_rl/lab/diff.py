"""A program against the given one, line by line, with the line numbers of both. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from verulaw_rl.languages.base import Finding

CONTEXT = 2
"""Lines shown before and after a place."""
_GONE = ("_missing", "_removed")
"""How the constructs of findings end whose line is in the given: what they tell of is in the candidate no more."""


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line: in both programs, in the candidate alone (``add``) or in the given alone (``del``)."""

    kind: Literal["same", "add", "del"]
    given: int | None
    """1-based line of the given."""
    candidate: int | None
    """1-based line of the candidate."""
    text: str


def numbered_diff(given: str, candidate: str) -> tuple[DiffLine, ...]:
    """Every line of both programs, once."""
    old, new = given.splitlines(), candidate.splitlines()
    out: list[DiffLine] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            out += [DiffLine("same", a + k + 1, c + k + 1, text) for k, text in enumerate(old[a:b])]
            continue
        out += [DiffLine("del", a + k + 1, None, text) for k, text in enumerate(old[a:b])]
        out += [DiffLine("add", None, c + k + 1, text) for k, text in enumerate(new[c:d])]
    return tuple(out)


def is_of_given(finding: Finding) -> bool:
    """Whether the finding's line is one of the given rather than of the candidate."""
    return finding.construct.endswith(_GONE)


def around(lines: Sequence[DiffLine], line: int, in_given: bool) -> tuple[DiffLine, ...]:
    """The lines about a place; none where the place is not there."""
    at = next((n for n, x in enumerate(lines) if (x.given if in_given else x.candidate) == line), None)
    return () if at is None else tuple(lines[max(0, at - CONTEXT) : at + CONTEXT + 1])
