"""What an assistant's turn asks for: exactly one action, read from its text, and written into text.

``tags``: one ``<kind>body</kind>`` or ``<done/>``, wherever it stands in the text.

- Text around it is ignored, and so is everything in ``<think>...</think>`` (also what stands before a
  ``</think>`` that the prompt opened). A tag right behind a backtick is a mention of it and no tag.
- The body is the program, or for ``insertions`` lines ``@N`` (after line N of the given, 0 for its top), each
  followed by the lines to insert. Where the body holds one fenced block, that block is the program; inside a
  fence tags are plain text, so a program that holds ``</submit>`` is handed in fenced.
- ``run`` has two parts, ``<program>`` and ``<calls>``. Simple form: the program, then ``<calls>``.

``tools``: one ``<tool_call>``, as Hermes and Qwen3 write it (a JSON object with ``name`` and ``arguments``) or as
Qwen3-Coder and Qwen3.5 do (``<function=...><parameter=...>``). Insertions are a list of ``{after_line, text}``.

Blank lines before and after a program are dropped, so that one program is one candidate in every format. A
program that itself holds ``<think>`` cannot be handed in. :func:`parse` never raises. The environment calls it;
scripted policies and supervised fine-tuning call :func:`write`, its inverse.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from verulaw_rl.episodes import tags, tools
from verulaw_rl.episodes.action import Action, ActionKind, HandIn, InvalidAction, Malformed, WireFormat

__all__ = ["Action", "ActionKind", "HandIn", "InvalidAction", "WireFormat", "parse", "write"]

MAX_TURN_CHARACTERS = 400_000

_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)


def parse(text: str, wire_format: WireFormat, hand_in: HandIn, allowed: Sequence[str]) -> Action | InvalidAction:
    """The one action of a turn. Never raises.

    Args:
        text: what the assistant wrote.
        wire_format: how actions are written.
        hand_in: how programs are handed in.
        allowed: actions that are offered; ``done`` always is.
    """
    try:
        if len(text) > MAX_TURN_CHARACTERS:
            raise Malformed("too_long", f"the turn has more than {MAX_TURN_CHARACTERS} characters.")
        read = tags.read if wire_format == "tags" else tools.read
        action = read(_without_thinking(text), hand_in)
        if action.kind != "done" and action.kind not in allowed:
            raise Malformed("not_offered", f"the action {action.kind} is not offered here.")
        _check(action)
        return action
    except Malformed as error:
        return error.invalid


def write(action: Action, wire_format: WireFormat) -> str:
    """The assistant's text for an action: the inverse of :func:`parse`."""
    return tags.write(action) if wire_format == "tags" else tools.write(action)


def _without_thinking(text: str) -> str:
    """The text outside of thinking blocks; an unclosed block runs to the end."""
    opening, closing = text.find("<think>"), text.find("</think>")
    if closing >= 0 and (opening < 0 or closing < opening):
        text = text[closing + len("</think>") :]
    return _THINKING.sub("", text)


def _check(action: Action) -> None:
    if action.kind == "done":
        return
    if action.insertions is None and not action.program:
        raise Malformed("no_program", f"the action {action.kind} holds no program.")
    texts = [action.program or "", action.calls, *(i.text for i in action.insertions or ())]
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        raise Malformed("not_text", "the program holds half a surrogate pair, which is no character.") from None
