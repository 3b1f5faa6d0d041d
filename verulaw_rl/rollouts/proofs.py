"""A reference proof as an assistant's turn: what scripted policies submit and what a warm start learns.

Pure. With ``insertions`` the action holds the lines that the reference has and the given has not.
"""

from __future__ import annotations

from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.episodes.action import Action
from verulaw_rl.episodes.actions import write
from verulaw_rl.languages.insertions import Insertion


def proof_turn(given: str, program: str, settings: EpisodeConfig) -> str | None:
    """The assistant's text that submits ``program``; ``None`` where it cannot be written as insertions."""
    action = proof_action(given, program, settings)
    return None if action is None else write(action, settings.wire_format)


def proof_action(given: str, program: str, settings: EpisodeConfig) -> Action | None:
    """The action that submits ``program``; ``None`` where it is more than the given with lines inserted."""
    if settings.hand_in == "full":
        return Action("submit", program=program)
    insertions = insertions_between(given, program)
    return None if insertions is None else Action("submit", insertions=insertions)


def insertions_between(given: str, program: str) -> tuple[Insertion, ...] | None:
    """Insertions that turn ``given`` into ``program``, blank lines and white space at line ends aside.

    Returns:
        ``None`` where some line of the given is not in the program, in order.
    """
    kept = [(number, line.rstrip()) for number, line in enumerate(given.split("\n"), start=1) if line.strip()]
    groups: list[tuple[int, list[str]]] = [(0, [])]
    position = 0
    for line in (line.rstrip() for line in program.split("\n")):
        if not line:
            continue
        if position < len(kept) and line == kept[position][1]:
            groups.append((kept[position][0], []))
            position += 1
        else:
            groups[-1][1].append(line)
    if position < len(kept):
        return None
    return tuple(Insertion(number, "\n".join(lines)) for number, lines in groups if lines)
