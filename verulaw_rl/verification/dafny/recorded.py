"""Verdicts from recorded output: what ``verulaw-rl diagnose`` reads."""

from __future__ import annotations

from verulaw_rl.verification.dafny.output import parse_output
from verulaw_rl.verification.dafny.verdicts import make_verdict
from verulaw_rl.verification.verdict import ToolIdentity, Verdict

_SERVER_SAYS = ("[[DAFNY-SERVER: EOM]]", "Verification completed successfully!")


def recorded_verdict(text: str, program: str | None = None) -> Verdict:
    """The verdict that recorded output amounts to; several runs in one text count as one.

    Args:
        text: what Dafny (2.3 to 4.x, command line or server) printed.
        program: the program it was about, to name clauses and declarations by position.
    """
    server = any(s in text for s in _SERVER_SAYS)
    output = parse_output(text, server=server)
    # A recording does not say which release it is of.
    tool = ToolIdentity("dafny", "2.x" if output.dialect == "2" else "4.x", "")
    return make_verdict(output, program, tool=tool, error_limit=0, server=server)
