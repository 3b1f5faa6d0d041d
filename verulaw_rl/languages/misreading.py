"""Where a text may have been misread: nesting deeper than a parser goes, the declaration in which reading failed."""

from __future__ import annotations

import re
from collections.abc import Iterable

from verulaw_rl.languages.base import Finding, FindingKind
from verulaw_rl.languages.lexed import Lexed
from verulaw_rl.languages.parsed import Declared


def broken_declaration(error: str | None, lexed: Lexed, declarations: Iterable[Declared]) -> str | None:
    """Path of the callable in which reading failed first, by an error that names its line."""
    at = re.match(r"line (\d+):", error or "")
    if at is None:
        return None
    for d in declarations:
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
