"""Actions as native tool calls: their schemas, reading and writing. The rules are in ``actions``."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, cast

from verulaw_rl.episodes.action import Action, ActionKind, HandIn, Malformed, program_text
from verulaw_rl.languages.insertions import Insertion

DESCRIPTIONS: dict[str, str] = {
    "verify": "Verify a program: the unmet proof obligations with their places, or that it verifies.",
    "run": "Execute statements against a program and see the output.",
    "audit": "Check that a program keeps its specification and assumes nothing unproved.",
    "assist": "Let the proof specialist complete the proof of a program.",
    "submit": "Submit a program: it is scored, and the best submission counts.",
    "done": "End the episode.",
}

_OPEN, _CLOSE = "<tool_call>", "</tool_call>"
_JSON_CALL = re.compile(r"\s*(?=\{)")
_XML_CALL = re.compile(r"\s*<function=([^>\n]*)>")
_XML_PARAMETER = re.compile(r"\s*<parameter=([^>\n]*)>\n?(.*?)\n?</parameter>", re.DOTALL)


def tool_schemas(allowed: Sequence[str], hand_in: HandIn) -> list[dict[str, Any]]:
    """Schemas for ``apply_chat_template(tools=...)``: one function per action offered, and ``done``."""
    if hand_in == "full":
        program: dict[str, Any] = {"program": {"type": "string", "description": "The whole program."}}
    else:
        item = {
            "type": "object",
            "properties": {
                "after_line": {"type": "integer", "description": "Line number of the given program; 0 for its top."},
                "text": {"type": "string", "description": "Lines to insert after that line."},
            },
            "required": ["after_line", "text"],
        }
        program = {"insertions": {"type": "array", "items": item, "description": "Lines to add to the given program."}}
    calls = {"calls": {"type": "string", "description": "Statements to execute, such as print statements."}}

    def schema(kind: str) -> dict[str, Any]:
        properties = {} if kind == "done" else program | (calls if kind == "run" else {})
        parameters = {"type": "object", "properties": properties, "required": list(properties)}
        function = {"name": kind, "description": DESCRIPTIONS[kind], "parameters": parameters}
        return {"type": "function", "function": function}

    return [schema(kind) for kind in (*allowed, "done")]


def read(text: str, hand_in: HandIn) -> Action:
    """The one tool call of a turn.

    Raises:
        Malformed: there is none, more than one, or it cannot be read.
    """
    found: list[tuple[str, dict[str, Any]]] = []
    position = 0
    while (start := text.find(_OPEN, position)) >= 0:
        name, arguments, position = _call(text, start + len(_OPEN))
        found.append((name, arguments))
    if not found:
        raise Malformed("no_action", "the turn holds no tool call.")
    if len(found) > 1:
        raise Malformed("several_actions", f"the turn holds {len(found)} tool calls; make one.")
    name, arguments = found[0]
    if name not in DESCRIPTIONS:
        raise Malformed("not_offered", f"there is no tool {name[:40]!r}.")
    kind = cast(ActionKind, name)
    if kind == "done":
        return Action(kind)
    calls = program_text(_string(arguments, "calls", default="")) if kind == "run" else ""
    if hand_in == "insertions":
        return Action(kind, insertions=_insertions(arguments), calls=calls)
    return Action(kind, program=program_text(_string(arguments, "program")), calls=calls)


def write(action: Action) -> str:
    """The text of an action, as Qwen3 prints a call."""
    arguments: dict[str, Any] = {}
    if action.insertions is not None:
        arguments["insertions"] = [{"after_line": i.after_line, "text": i.text} for i in action.insertions]
    elif action.kind != "done":
        arguments["program"] = action.program
    if action.kind == "run":
        arguments["calls"] = action.calls
    call = json.dumps({"name": action.kind, "arguments": arguments}, ensure_ascii=False)
    return f"{_OPEN}\n{call}\n{_CLOSE}"


def _call(text: str, start: int) -> tuple[str, dict[str, Any], int]:
    """Name, arguments and end of the call whose opening tag ends at ``start``."""
    if (opening := _JSON_CALL.match(text, start)) is not None:
        try:
            call, end = json.JSONDecoder(strict=False).raw_decode(text, opening.end())
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else type(error).__name__
            raise Malformed("bad_json", f"the tool call is no JSON object: {reason}.") from None
        name, arguments = call.get("name"), call.get("arguments", {})
        if isinstance(arguments, str):
            arguments = _object(arguments)
    elif (opening := _XML_CALL.match(text, start)) is not None:
        name, arguments, end = opening[1].strip(), {}, opening.end()
        while (parameter := _XML_PARAMETER.match(text, end)) is not None:
            arguments[parameter[1].strip()] = parameter[2]
            end = parameter.end()
        function_end = re.compile(r"\s*</function>").match(text, end)
        end = function_end.end() if function_end else end
    else:
        raise Malformed("bad_json", "the tool call is no JSON object with name and arguments.")
    closing = re.compile(r"\s*</tool_call>").match(text, end)
    if closing is None:
        raise Malformed("unclosed", "<tool_call> is not closed by </tool_call>.")
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise Malformed("bad_json", "the tool call needs a name and an object of arguments.")
    return name, arguments, closing.end()


def _object(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        raise Malformed("bad_json", "the arguments of the tool call are no JSON object.") from None


def _string(arguments: dict[str, Any], name: str, default: str | None = None) -> str:
    value = arguments.get(name, default)
    if not isinstance(value, str):
        raise Malformed("bad_arguments", f"the argument {name} must be a text.")
    return value


def _insertions(arguments: dict[str, Any]) -> tuple[Insertion, ...]:
    value = arguments.get("insertions")
    if isinstance(value, str):
        value = _object(value)
    if not isinstance(value, list):
        raise Malformed("bad_arguments", "the argument insertions must be a list of {after_line, text}.")
    out: list[Insertion] = []
    for item in value:
        line, text = (item.get("after_line"), item.get("text")) if isinstance(item, dict) else (None, None)
        body = program_text(text) if isinstance(text, str) else ""
        if not isinstance(line, int) or isinstance(line, bool) or not body:
            raise Malformed(
                "bad_insertions", "each insertion needs a whole number after_line and a text that is not blank."
            )
        out.append(Insertion(line, body.removesuffix("\n")))
    return tuple(out)
