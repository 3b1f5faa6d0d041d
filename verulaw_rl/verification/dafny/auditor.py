"""Dafny's own auditor (``dafny audit``, 4.x): what it says a program believes without proof.

A further line behind our audit: it works on the resolved program. It knows nothing of the given, and is silent on
``expect``, ``{:selective_checking}``, bodyless members of abstract modules and every change of a specification.
"""

from __future__ import annotations

import re

from verulaw_rl.verification.dafny.find import DafnyTool
from verulaw_rl.verification.verdict import Diagnostic, Location

_FINDING = re.compile(
    r"(?P<file>\S[^\n]*?)\((?P<line>\d+),(?P<column>\d+)\): Warning: (?P<name>\S+): "
    r"(?P<issue>[^\n]+?) Possible mitigation: (?P<mitigation>[^\n]+)"
)
_END = re.compile(r"Dafny auditor completed with (\d+) findings?")


def audit_command(tool: DafnyTool, file: str) -> list[str]:
    """The command line that audits one file."""
    return [*tool.command, "audit", file]


def parse_audit(text: str, file: str) -> tuple[Diagnostic, ...] | None:
    """Findings of the auditor, in its order; ``None`` where it did not come to its end.

    Args:
        text: standard output.
        file: the program's name as it was given to the tool.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    if not any(_END.fullmatch(line.strip()) for line in lines):
        return None
    found = [m for line in lines if (m := _FINDING.fullmatch(line)) and m["file"] == file]
    return tuple(
        Diagnostic(
            category=None,
            severity="warning",
            location=Location(int(m["line"]), int(m["column"])),
            message=m["issue"],
            declaration=m["name"],
            kind="assumption",
        )
        for m in found
    )
