"""Actions as tags: reading and writing ``<submit>...</submit>``. The rules are in ``actions``."""

from __future__ import annotations

import re
from typing import cast

from verulaw_rl.episodes.action import Action, ActionKind, HandIn, Malformed, program_text
from verulaw_rl.languages.insertions import Insertion

_KINDS = "verify|run|audit|assist|submit|done"
_TAG = re.compile(rf"(?<!`)<(?P<close>/?)(?P<kind>{_KINDS})\s*(?P<empty>/?)>")
_FENCE_OPEN = re.compile(r"(?:^|(?<=>))[ \t]*(`{3,})[^\n`]*$", re.MULTILINE)
_UNSAFE = re.compile(rf"</?(?:{_KINDS}|program|calls)\b|^[ \t]*```", re.MULTILINE)
_AT = re.compile(r"@(\d+)[ \t]*\r?")


def read(text: str, hand_in: HandIn) -> Action:
    """The one action of a turn.

    Raises:
        Malformed: there is none, more than one, or it cannot be read.
    """
    found: list[tuple[str, str]] = []
    position = 0
    while tag := _TAG.search(text, position):
        kind = tag["kind"]
        if tag["close"]:
            raise Malformed("unopened", f"</{kind}> closes nothing.")
        if tag["empty"]:
            found.append((kind, ""))
            position = tag.end()
            continue
        end = _end_of_body(text, tag.end(), kind)
        if end is None:
            raise Malformed("unclosed", f"<{kind}> is not closed by </{kind}>.")
        found.append((kind, text[tag.end() : end]))
        position = end + len(f"</{kind}>")
    if not found:
        raise Malformed("no_action", "the turn holds no action.")
    if len(found) > 1:
        raise Malformed(
            "several_actions", f"the turn holds {len(found)} actions ({', '.join(k for k, _ in found)}); give one."
        )
    kind, body = found[0]
    return _action(cast(ActionKind, kind), body, hand_in)


def write(action: Action) -> str:
    """The text of an action, fenced where its body could be misread."""
    if action.kind == "done":
        return "<done/>"
    body = _guarded(action.program or "" if action.insertions is None else write_insertions(action.insertions))
    if action.kind == "run":
        return f"<run>\n<program>\n{body}</program>\n<calls>\n{_guarded(action.calls)}</calls>\n</run>"
    return f"<{action.kind}>\n{body}</{action.kind}>"


def read_insertions(text: str) -> tuple[Insertion, ...]:
    """Insertions from ``@N`` lines and the lines behind each.

    Raises:
        Malformed: a line stands before the first ``@N``, or an ``@N`` has nothing behind it.
    """
    out: list[Insertion] = []
    number: int | None = None
    lines: list[str] = []

    def finish() -> None:
        if number is None:
            return
        body = program_text("\n".join(lines))
        if not body:
            raise Malformed("bad_insertions", f"nothing is to be inserted at @{number}.")
        out.append(Insertion(number, body.removesuffix("\n")))

    for line in program_text(text).split("\n"):
        if at := _AT.fullmatch(line):
            finish()
            number, lines = int(at[1][:9]), []
        elif number is not None:
            lines.append(line)
        elif line.strip():
            raise Malformed(
                "bad_insertions", f"the line {line.strip()[:60]!r} stands before the first @N, N a line number."
            )
    finish()
    return tuple(out)


def write_insertions(insertions: tuple[Insertion, ...]) -> str:
    """Inverse of :func:`read_insertions`."""
    return "".join(f"@{i.after_line}\n{i.text}\n" for i in insertions)


def _guarded(body: str) -> str:
    """The body, in a fence of its own where it could be misread."""
    if not _UNSAFE.search(body):
        return body
    fence = "`" * (max((len(run) for run in re.findall("`+", body)), default=0) + 3)
    return f"{fence}\n{body}{'' if body.endswith(chr(10)) else chr(10)}{fence}\n"


def _end_of_body(text: str, start: int, kind: str) -> int | None:
    """Where the closing tag stands; closing tags in fenced blocks are text."""
    closing = f"</{kind}>"
    first = end = text.find(closing, start)
    position = start
    while end >= 0:
        fence = _fence(text, position, end)
        if fence is None:
            return end
        position = fence[1]
        if end < position:
            end = text.find(closing, position)
    return first if first >= 0 else None


def _fence(text: str, start: int, stop: int) -> tuple[slice, int] | None:
    """First fenced block that opens in ``[start, stop)``: its content and where it is over."""
    opening = _FENCE_OPEN.search(text, start, stop)
    if opening is None:
        return None
    over = re.compile(rf"\n[ \t]*{opening[1]}`*[ \t]*(?=\r?\n|</|\Z)").search(text, opening.end())
    return (slice(opening.end() + 1, over.start() + 1), over.end()) if over else None


def _unfenced(body: str) -> str:
    """The content of the body's one fenced block, or the body where it has none."""
    body = ">" + body  # what stands before a body is a tag's end: a fence may open right behind it
    fence = _fence(body, 1, len(body))
    if fence is None:
        return re.sub(r"\A>\s*```\w*[ \t]*\n|\A>", "", body)
    if _fence(body, fence[1], len(body)):
        raise Malformed("several_programs", "the action holds more than one fenced block; give one.")
    return body[fence[0]]


def _action(kind: ActionKind, body: str, hand_in: HandIn) -> Action:
    if kind == "done":
        return Action("done")
    calls = ""
    if kind == "run":
        body, calls = _run_parts(body)
    body = _unfenced(body)
    if hand_in == "insertions":
        return Action(kind, insertions=read_insertions(body), calls=calls)
    return Action(kind, program=program_text(body), calls=calls)


def _run_parts(body: str) -> tuple[str, str]:
    """Program and calls of a ``run``: both in tags, or the program first and the calls in tags behind it."""
    if (opening := re.match(r"\s*<program>", body)) is not None:
        program, rest = _part(body, opening.end(), "program")
        if (opening := re.match(r"\s*<calls>", rest)) is not None:
            return program, program_text(_unfenced(_part(rest, opening.end(), "calls")[0]))
        return program, ""
    begin = body.rfind("<calls>")
    if begin < 0:
        return body, ""
    return body[:begin], program_text(_unfenced(_part(body, begin + len("<calls>"), "calls")[0]))


def _part(text: str, start: int, kind: str) -> tuple[str, str]:
    """The content of a part, and what follows it."""
    end = _end_of_body(text, start, kind)
    if end is None:
        raise Malformed("unclosed", f"<{kind}> is not closed by </{kind}>.")
    return text[start:end], text[end + len(f"</{kind}>") :]
