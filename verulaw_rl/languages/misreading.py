"""Where a text may have been misread: nesting deeper than a parser goes, the declaration in which reading failed."""

from __future__ import annotations

import re
from collections.abc import Iterable

from verulaw_rl.languages.base import Finding, FindingKind
from verulaw_rl.languages.lexed import Lexed
from verulaw_rl.languages.parsed import Readable

_PERHAPS_MISREAD = frozenset(
    {
        "annotation_removed",
        "bodyless_declaration",
        "bodyless_target",
        "body_changed",
        "statement_added",
        "statement_changed",
        "statement_removed",
    }
)


def clear_findings(
    before: Readable, after: Readable, found: Iterable[Finding], perhaps_misread: frozenset[str]
) -> tuple[Finding, ...]:
    """Each finding once; left out is what may only be misread, in the declaration that could not be read in full.

    Args:
        before: the given; where it could not be read either, every finding counts.
        after: the candidate.
        found: all findings.
        perhaps_misread: constructs of the language that may be misread, beside those of any comparison.
    """
    broken = _broken_declaration(after) if before.view.error is None else None
    misread = _PERHAPS_MISREAD | perhaps_misread
    return tuple(dict.fromkeys(f for f in found if f.declaration != broken or f.construct not in misread))


def _broken_declaration(reading: Readable) -> str | None:
    """Path of the callable in which reading failed first, by an error that names its line."""
    at = re.match(r"line (\d+):", reading.program.error or "")
    if at is None:
        return None
    lexed = reading.program.lexed
    for d in reading.declarations:
        first, last = (lexed.tokens[i].start for i in (d.first, max(d.first, d.last - 1)))
        if d.callable and lexed.line(first) <= int(at[1]) <= lexed.line(last):
            return d.path
    return None


def too_deep(lexed: Lexed, deepest: int, advice: str) -> list[Finding]:
    """Text nested so deeply that it may hide from the parser, though not from the verifier."""
    depth = 0
    for token in lexed.tokens:
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if depth > deepest:
            message = f"brackets are nested more than {deepest} deep"
            return [Finding(FindingKind.SPECIFICATION, "too_deep", "", lexed.line(token.start), message, advice)]
    return []
