"""Characters that a candidate may not bring in: they show a person, or another lexer, a different program.

NUL and other control characters, bidirectional controls, zero-width characters, line and paragraph
separators, lone surrogates and unassigned code points. Tab, line feed and carriage return are fine, and
so is anything that the given itself contains.
"""

from __future__ import annotations

import unicodedata

from verulaw_rl.languages.base import Finding, FindingKind
from verulaw_rl.languages.lexed import Lexed

_REJECTED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_LAYOUT = frozenset("\t\n\r")


def strange_characters(given: str, candidate: Lexed) -> list[Finding]:
    """One finding for each kind of character outside of the agreed set."""
    text = candidate.source
    if text.isascii() and text.isprintable():
        return []
    findings = []
    for character in sorted(set(text) - set(given) - _LAYOUT):
        if unicodedata.category(character) in _REJECTED:
            line = candidate.line(text.index(character))
            code = f"U+{ord(character):04X}"
            findings.append(
                Finding(
                    FindingKind.SPECIFICATION,
                    "character",
                    "",
                    line,
                    f"the program contains the character {code} ({unicodedata.name(character, 'no name')})",
                    f"remove {code} on line {line}; use printable characters, blanks, tabs and line ends only",
                )
            )
    return findings
