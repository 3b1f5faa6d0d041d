"""Errors that a user can act on.

A :class:`UserError` is raised where bad input is found (a config key, a missing tool, an unreadable
file) and is caught once, in ``verulaw_rl.cli.main``, which prints its one line and exits with
:data:`EXIT_MISUSE`. Anything else that escapes is a fault of ours and keeps its traceback.
"""

from __future__ import annotations

EXIT_MISUSE = 2
"""Exit status for bad input: also what ``verulaw-rl audit`` documents as misuse."""


class UserError(Exception):
    """Bad input or a missing tool; the message is one line that says what, where, and what to do."""
