"""Verdicts from recorded output: what ``verulaw-rl diagnose`` reads."""

from __future__ import annotations

from verulaw_rl.verification.nagini.output import from_text
from verulaw_rl.verification.nagini.verdicts import make_verdict
from verulaw_rl.verification.verdict import ToolIdentity, Verdict


def recorded_verdict(text: str, program: str | None = None) -> Verdict:
    """The verdict that recorded output amounts to; several runs in one text count as one.

    Args:
        text: what the command line printed, with or without ``--ide-mode``.
        program: the program it was about, to name clauses and declarations by position.
    """
    # A recording does not say which release it is of, nor which options it was made with.
    return make_verdict(from_text(text), program, tool=ToolIdentity("nagini", "1.x", ""), error_limit=0)
