"""One action of an agent, as plain data. ``actions`` reads it from an assistant's text and writes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from verulaw_rl.languages.insertions import Insertion

ActionKind = Literal["verify", "run", "audit", "assist", "submit", "done"]
WireFormat = Literal["tags", "tools"]
HandIn = Literal["full", "insertions"]


@dataclass(frozen=True, slots=True)
class Action:
    """One action. It holds a program or insertions, by the hand-in; ``done`` holds neither."""

    kind: ActionKind
    program: str | None = None
    insertions: tuple[Insertion, ...] | None = None
    calls: str = ""
    """For ``run``: statements to execute; empty runs the program's own main."""


@dataclass(frozen=True, slots=True)
class InvalidAction:
    """A turn without exactly one well-formed action."""

    reason: str
    """Stable short name: ``no_action``, ``several_actions``, ``unclosed``, ``not_offered``, ``no_program``, ..."""
    message: str
    """What was wrong, in a sentence for the agent."""


class Malformed(Exception):
    """What the readers of the wire formats raise; ``actions.parse`` turns it into an :class:`InvalidAction`."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.invalid = InvalidAction(reason, message)


def program_text(text: str) -> str:
    """A program without blank lines around it, ending in one newline; empty where nothing else is there."""
    lines = text.split("\n")
    first, last = 0, len(lines)
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    return "\n".join([*lines[first:last], ""]) if last > first else ""
