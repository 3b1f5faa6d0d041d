"""Reads what Verus printed, live or recorded.

:func:`parse_output` turns text into an :class:`Output`: messages with their labelled places, the counts, and signs of
a crash. It knows rustc's JSON lines (``--error-format=json``), the document of ``--output-json``, and the form for
people; they may be mixed in one text. It judges nothing (that is ``verus.verdicts``) and never raises.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from verulaw_rl.verification.verdict import Location

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Place:
    """One labelled place of a message. Columns are 0-based, rustc's less one."""

    location: Location
    label: str
    primary: bool
    file: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message as printed."""

    level: Level
    text: str
    places: tuple[Place, ...] = ()
    code: str = ""
    """rustc's code, ``E0308``; proofs have none."""
    for_people: bool = False
    """Whether it was printed as text rather than JSON."""

    @property
    def primary(self) -> Place | None:
        """The place that the message stands at."""
        return next((p for p in self.places if p.primary), self.places[0] if self.places else None)

    def labelled(self, *starts: str) -> Place | None:
        """The first place whose label begins with one of the texts."""
        return next((p for p in self.places if p.label.startswith(starts)), None)


@dataclass(frozen=True, slots=True)
class Checked:
    """What ``--time-expanded`` says of one function."""

    name: str
    """As Rust writes it: ``crate::module::function``."""
    success: bool
    micros: int = 0


@dataclass(frozen=True, slots=True)
class Output:
    """All that a text says."""

    messages: tuple[Message, ...] = ()
    verified: int | None = None
    """Queries proved; ``None`` where nothing came to be proved."""
    errors: int | None = None
    success: bool | None = None
    """As the document of ``--output-json`` says; it says nothing of a part of a program."""
    ended: bool = False
    """Whether there is a document or a line of results."""
    partial: bool = False
    functions: tuple[Checked, ...] = ()
    crash: str = ""
    """First sign of a crash of the tool; empty for none."""


_RESULTS = re.compile(
    r"verification results:: (?:verified: (?P<old>\d+) errors: (?P<old_errors>\d+)"
    r"|(?P<verified>\d+) verified, (?P<errors>\d+) errors?(?P<partial> \(partial verification.*)?)"
)
_CRASH = re.compile(
    r"thread '.*' (\(\d+\) )?panicked at|error: internal compiler error|error: the compiler unexpectedly panicked"
    r"|note: the compiler unexpectedly panicked|internal error: |error: Verus installation is incomplete"
    r"|verus: required rust toolchain|verus: rustup not found"
)
_HEAD = re.compile(r"(?P<level>error|warning|note)(\[(?P<code>\w+)\])?: (?P<text>.*)")
_ARROW = re.compile(r"\s*--> (?P<file>.*):(?P<line>\d+):(?P<column>\d+)")
_NUMBERED = re.compile(r"(?P<line>\d+) *\|(?P<rest>.*)")
_MARKED = re.compile(r" *\|(?P<gap>[ |/]*?)(?P<marks>_*[\^-]+)(?: (?P<label>.+))?")


@dataclass(slots=True)
class _Reader:
    messages: list[Message] = field(default_factory=list)
    document: dict[str, Any] = field(default_factory=dict)
    verified: int | None = None
    errors: int | None = None
    ended: bool = False
    partial: bool = False
    crash: str = ""
    line: int = 0
    """Source line shown last, in the form for people."""

    def take(self, found: dict[str, Any]) -> None:
        if "verification-results" in found:
            self.document, self.ended = found, True
        elif isinstance(found.get("message"), str) and "spans" in found:
            message = _message(found)
            if message is not None:
                self.messages.append(message)

    def text(self, line: str) -> None:
        if not self.crash and _CRASH.match(line):
            self.crash = line.strip()
        if m := _RESULTS.fullmatch(line.strip()):
            self.ended = True
            self.verified = (self.verified or 0) + int(m["verified"] or m["old"])
            self.errors = (self.errors or 0) + int(m["errors"] or m["old_errors"] or 0)
            self.partial = self.partial or m["partial"] is not None
        elif m := _HEAD.fullmatch(line.rstrip()):
            level: Level = {"error": "error", "warning": "warning"}.get(m["level"], "note")  # type: ignore[assignment]
            self.messages.append(Message(level, m["text"], (), m["code"] or "", for_people=True))
            self.line = 0
        elif self.messages:
            self._placed(line)

    def _placed(self, line: str) -> None:
        """Lines below a message of the form for people: its place, source lines, and marks with labels."""
        last = self.messages[-1]
        if (m := _ARROW.fullmatch(line.rstrip())) and not last.places:
            place = Place(Location(int(m["line"]), int(m["column"]) - 1), "", True, m["file"])
            self.messages[-1] = replace(last, places=(place,))
        elif m := _NUMBERED.fullmatch(line.strip()):
            self.line = int(m["line"])
        elif last.places and self.line and (m := _MARKED.fullmatch(line.rstrip())):
            primary = "^" in m["marks"]
            places = list(last.places)
            if primary:
                places[0] = Place(places[0].location, m["label"] or "", True, places[0].file)
            elif m["label"]:
                column = max(0, len(m["gap"]) - 1)
                places.append(Place(Location(self.line, column), m["label"], False, places[0].file))
            self.messages[-1] = replace(last, places=tuple(places))


def parse_output(text: str) -> Output:
    """Read all that one invocation (or a recording of it) printed, both streams in any order."""
    reader = _Reader()
    for piece in _pieces(text):
        if isinstance(piece, dict):
            reader.take(piece)
        else:
            reader.text(piece)
    results = reader.document.get("verification-results") or {}
    results = results if isinstance(results, dict) else {}
    vir_error = results.get("encountered-vir-error") is True
    verified, errors = (None, None) if vir_error else (_count(results, "verified"), _count(results, "errors"))
    success = results.get("success")
    return Output(
        messages=tuple(reader.messages),
        verified=verified if reader.document else reader.verified,
        errors=errors if reader.document else reader.errors,
        success=success if isinstance(success, bool) else None,
        ended=reader.ended,
        partial=reader.partial or results.get("is-verifying-entire-crate") is False,
        functions=tuple(_functions(reader.document)),
        crash=reader.crash,
    )


def _pieces(text: str) -> Iterator[dict[str, Any] | str]:
    """JSON objects that begin a line, and the other lines."""
    decoder = json.JSONDecoder()
    at = 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if text[at] == "{":
            try:
                found, stop = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                found, stop = None, at
            if isinstance(found, dict):
                yield found
                at = stop
                continue
        line = text[at:end].removesuffix("\r")
        if line.strip():
            yield line
        at = end + 1


def _count(results: dict[str, Any], name: str) -> int | None:
    value = results.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _message(found: dict[str, Any]) -> Message | None:
    level = found.get("level")
    if level not in ("error", "warning", "note"):
        return None
    spans = found.get("spans")
    places = [p for s in (spans if isinstance(spans, list) else []) if (p := _place(s)) is not None]
    code = found.get("code")
    named = code.get("code") if isinstance(code, dict) else None
    return Message(level, found["message"], tuple(places), named if isinstance(named, str) else "")


def _place(span: Any) -> Place | None:
    if not isinstance(span, dict):
        return None
    line, column = span.get("line_start"), span.get("column_start")
    if not isinstance(line, int) or not isinstance(column, int):
        return None
    label, file = span.get("label"), span.get("file_name")
    return Place(
        Location(line, max(0, column - 1)),
        label if isinstance(label, str) else "",
        span.get("is_primary") is True,
        file if isinstance(file, str) else "",
    )


def _functions(document: Any) -> Iterator[Checked]:
    """Entries of every ``function-breakdown``, wherever in the document it stands."""
    waiting = [document]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting.extend(node)
        elif isinstance(node, dict):
            for key, value in node.items():
                if key == "function-breakdown" and isinstance(value, list):
                    for entry in value:
                        if isinstance(entry, dict) and isinstance(entry.get("function"), str):
                            micros = entry.get("time-micros")
                            yield Checked(
                                entry["function"],
                                entry.get("success") is True,
                                micros if isinstance(micros, int) else 0,
                            )
                else:
                    waiting.append(value)
