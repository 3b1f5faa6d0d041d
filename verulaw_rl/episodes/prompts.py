"""Building blocks of prompts: the program as the agent sees it, and how actions are written.

Environment files compose their prompts from these; ``observations`` closes a complaint about an
invalid turn with :func:`example`. All is a pure function of the episode's settings and the given.
"""

from __future__ import annotations

from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.episodes.action import Action, ActionKind
from verulaw_rl.episodes.actions import write
from verulaw_rl.episodes.tools import DESCRIPTIONS
from verulaw_rl.languages.base import Illustration

_HAND_IN = {
    "full": "Hand in the whole program every time, never a part of it.",
    "insertions": (
        "Hand in only the lines to insert into the given program. Line numbers are those of the given program and "
        "stay the same in every turn; every hand-in starts again from the given program."
    ),
}
_TAGS_INSERTIONS = " A line @N says that the lines below it go after line N (@0: before line 1)."
_PROGRAM = "... the whole program ..."
_SHAPES: dict[ActionKind, str] = {
    "run": "<run><program>{0}</program><calls>STATEMENTS</calls></run>",
    "done": "<done/>",
}


def numbered(program: str) -> str:
    """The program with ``N: `` before each line, as insertions count lines."""
    return "\n".join(f"{n}: {line}" for n, line in enumerate(program.removesuffix("\n").split("\n"), start=1))


def fenced(text: str, language: str = "") -> str:
    """A Markdown block that the text cannot close."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.removesuffix(chr(10))}\n{fence}"


def example(kind: ActionKind, settings: EpisodeConfig, shown: Illustration) -> str:
    """How an action is written under these settings, with placeholders for what the agent fills in."""
    calls = shown.calls if kind == "run" else ""
    if kind == "done":
        action = Action("done")
    elif settings.hand_in == "insertions":
        action = Action(kind, insertions=shown.insertions, calls=calls)
    else:
        action = Action(kind, program=f"{_PROGRAM}\n", calls=calls)
    return write(action, settings.wire_format)


def hand_in(settings: EpisodeConfig) -> str:
    """How a program is handed in, in a sentence or two."""
    tags = settings.hand_in == "insertions" and settings.wire_format == "tags"
    return _HAND_IN[settings.hand_in] + (_TAGS_INSERTIONS if tags else "")


def actions(settings: EpisodeConfig, shown: Illustration) -> str:
    """The actions offered, each with what it answers, and how they are written."""
    kinds: tuple[ActionKind, ...] = (*settings.actions, "done")
    if settings.wire_format == "tools":
        lines = [f"- {kind}: {DESCRIPTIONS[kind]}" for kind in kinds]
        return "\n".join(["Every turn makes exactly one tool call:", *lines])
    content = "PROGRAM" if settings.hand_in == "full" else "LINES"
    lines = [
        f"- {_SHAPES.get(kind, f'<{kind}>{{0}}</{kind}>').format(content)}: {DESCRIPTIONS[kind]}" for kind in kinds
    ]
    examples = [example(kind, settings, shown) for kind in ("submit", "run") if kind in settings.actions]
    return "\n".join(["Every turn holds exactly one action, written in its tags:", *lines, "For example:", *examples])
