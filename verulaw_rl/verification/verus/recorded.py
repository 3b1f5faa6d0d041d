"""Verdicts from recorded output: what ``verulaw-rl diagnose`` reads."""

from __future__ import annotations

from verulaw_rl.verification.verdict import ToolIdentity, Verdict
from verulaw_rl.verification.verus.output import parse_output
from verulaw_rl.verification.verus.verdicts import make_verdict


def recorded_verdict(text: str, program: str | None = None) -> Verdict:
    """The verdict that recorded output amounts to.

    Args:
        text: what Verus printed, JSON or the form for people, both streams in one text.
        program: the program it was about, to name clauses and declarations by position.
    """
    # A recording does not say which release it is of.
    return make_verdict(parse_output(text), program, tool=ToolIdentity("verus", "", ""))
