"""What Nagini said of one program, as plain data, read from the resident's answer or the command line's text.

The command line prints one line for each failed check and none of what was verified; the resident program also
says which Viper members came to an end, and where the reason of a failure stands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from verulaw_rl.verification.nagini.messages import error_of
from verulaw_rl.verification.nagini.resident import TYPE_CHECKER_FAILS
from verulaw_rl.verification.verdict import Location

Outcome = Literal["verified", "failed", "invalid", "timeout", "fault", "nothing"]
"""``fault``: the tool broke; ``nothing``: the text has no end of a verification."""


@dataclass(frozen=True, slots=True)
class Place:
    """A range of a file as the tool prints it: lines from 1, columns from 0 (in bytes of UTF-8)."""

    file: str
    start: Location
    end: Location


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed check."""

    error: str
    reason: str
    message: str
    because: str
    at: Place | None
    reason_at: Place | None = None
    vias: tuple[tuple[str, Place], ...] = ()
    """What lies between the place and the program's own: an overridden method, an inlined predicate."""
    ran_out: bool = False
    """The solver ran out of its limit, on some path; otherwise it gave an answer or gave up."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a program was not translated."""

    kind: str
    """``type``, ``invalid``, ``unsupported``, ``consistency`` or ``translator``."""
    message: str
    line: int = 0
    column: int = 0


@dataclass(frozen=True, slots=True)
class Member:
    """A Viper member that was verified or failed."""

    name: str
    kind: str
    verified: bool


@dataclass(frozen=True, slots=True)
class Declared:
    """A function, method or predicate of the program, and what Nagini takes it for."""

    path: str
    viper: str
    line: int
    pure: bool
    predicate: bool
    contract_only: bool


@dataclass(frozen=True, slots=True)
class Output:
    """All that was said."""

    outcome: Outcome
    failures: tuple[Failure, ...] = ()
    problems: tuple[Problem, ...] = ()
    members: tuple[Member, ...] | None = None
    """``None`` where the tool does not say."""
    declared: tuple[Declared, ...] = ()
    said: str = ""
    """First words of a fault."""
    solver_s: float | None = None
    times: dict[str, float] = field(default_factory=dict, compare=False)


def from_answer(answer: dict[str, Any]) -> Output:
    """The resident program's answer.

    Raises:
        KeyError, TypeError, ValueError: it is none.
    """
    return Output(
        outcome=_outcome(answer["outcome"]),
        failures=tuple(_failure(e) for e in answer.get("errors", ())),
        problems=tuple(Problem(p["kind"], p["message"], p["line"], p["column"]) for p in answer.get("problems", ())),
        members=tuple(Member(n, k, ok) for n, k, ok, _ in answer["members"]) if "members" in answer else None,
        declared=tuple(Declared(**d) for d in answer.get("declared", ())),
        said=answer.get("said", ""),
        solver_s=answer.get("solver_s"),
        times={k: v for k, v in answer.items() if k in ("translate_s", "verify_s")},
    )


def _outcome(said: str) -> Outcome:
    if said in ("verified", "failed", "invalid", "timeout", "fault"):
        return said  # type: ignore[return-value]
    raise ValueError(f"unknown outcome {said!r}")


def _failure(e: dict[str, Any]) -> Failure:
    return Failure(
        error=e["error"],
        reason=e["reason"],
        message=e["message"],
        because=e["because"],
        at=_place(e["at"]),
        reason_at=_place(e["reason_at"]),
        vias=tuple((what, at) for what, where in e["vias"] if (at := place_of(where)) is not None),
        # Permissions are first looked for under small limits of Silicon's own: only of an assertion does it tell.
        ran_out=e["reason"] == "assertion.false" and any(_RAN_OUT.search(u) for u in e["unknown"]),
    )


_RAN_OUT = re.compile(r"resource|timeout|canceled|memout|max\. ")


def _place(at: list[Any] | None) -> Place | None:
    if at is None:
        return None
    file, line, column, end_line, end_column = at
    return Place(file, Location(int(line), int(column)), Location(int(end_line), int(end_column)))


_PLACE = re.compile(r"(?P<file>[^@()\n]*)@(?P<line>\d+)\.(?P<column>\d+)(?:--(?P<to_line>\d+)\.(?P<to_column>\d+))?")
_VIA = re.compile(r", via (?P<what>[^@]*?) at (?=[^@]*@)")
_TAIL = re.compile(rf" \((?P<where>{_PLACE.pattern}(?P<vias>(?:, via .*)?))\)\s*\Z", re.DOTALL)
_PROBLEM = re.compile(r"(Type error|Invalid program|Not supported): ")
_KINDS = {"Type error": "type", "Invalid program": "invalid", "Not supported": "unsupported"}
_IDE = re.compile(
    r"(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+):(?P<to_line>\d+):(?P<to_column>\d+): error: (?P<text>.*)",
    re.DOTALL,
)
_TYPE_CHECKER_FAILED = "error: INTERNAL ERROR"
_TRACEBACK = "Traceback (most recent call last):"
_JAVA = re.compile(r"^(?:Exception in thread |\s*at (?:java|scala|viper)[./])", re.MULTILINE)


def place_of(text: str) -> Place | None:
    """The place that ``FILE@L.C--L.C`` (or ``FILE@L.C``) names."""
    m = _PLACE.search(text)
    if m is None:
        return None
    start = Location(int(m["line"]), int(m["column"]))
    end = Location(int(m["to_line"]), int(m["to_column"])) if m["to_line"] else start
    return Place(m["file"].strip(), start, end)


def from_text(text: str, errors: str = "") -> Output:
    """What the command line printed (plain or with ``--ide-mode``); several runs in one text count as one.

    Args:
        text: of its standard output.
        errors: of its error stream, where a crash of the translator shows.
    """
    failures: list[Failure] = []
    problems: list[Problem] = []
    outcome: Outcome = "nothing"
    lines = text.replace("\r\n", "\n").split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("Verification successful"):
            outcome = "verified" if outcome == "nothing" else outcome
        elif line.startswith("Verification failed"):
            outcome = "failed"
            if at < len(lines) and lines[at].startswith("Errors:"):
                at += 1
            at = _read_failures(lines, at, failures)
        elif line.startswith("Translation failed"):
            outcome = "invalid"
            at = _read_problems(lines, at, problems)
        elif line.startswith("Verification timed out"):
            outcome = "timeout"
    if outcome == "nothing" and _TYPE_CHECKER_FAILED in text + errors:
        return Output("invalid", problems=(Problem("translator", TYPE_CHECKER_FAILS),))
    if outcome == "nothing" and (_TRACEBACK in text + errors or _JAVA.search(text)):
        last = [x.strip() for x in (errors.strip() or text.strip()).splitlines() if x.strip()]
        said = last[-1][:500] if last else ""
        # Without a word from the JVM it is Nagini's translator that failed, which the program made it do.
        if _JAVA.search(text) or said.startswith(("MemoryError", "OSError")) or "has no attribute 'reason'" in said:
            return Output("fault", said=said)
        return Output("invalid", problems=(Problem("translator", said),))
    if any(f.error == "internal" for f in failures):
        return Output("fault", said="Nagini reports an internal error of Viper")
    return Output(outcome, tuple(failures), tuple(problems))


def _ends(line: str) -> bool:
    return line.startswith(("Verification ", "Translation failed"))


def _read_failures(lines: list[str], at: int, failures: list[Failure]) -> int:
    """Error lines up to the line of the time; an expression may be printed over several lines."""
    held = ""
    while at < len(lines) and not _ends(lines[at]):
        held = f"{held}\n{lines[at]}" if held else lines[at]
        at += 1
        complete = _TAIL.search(held) is not None or _IDE.match(held) is not None
        if complete and (failure := _failure_of(held)) is not None:
            failures.append(failure)
        if complete or not held.strip():
            held = ""
    return at


def _failure_of(text: str) -> Failure | None:
    vias: tuple[tuple[str, Place], ...] = ()
    if m := _IDE.match(text):
        # Its columns count from 1.
        start = Location(int(m["line"]), int(m["column"]) - 1)
        place = Place(m["file"], start, Location(int(m["to_line"]), int(m["to_column"]) - 1))
        said = m["text"]
    elif m := _TAIL.search(text):
        place_found = place_of(m["where"])
        assert place_found is not None
        place, said = place_found, text[: m.start()]
        parts = _VIA.split(m["vias"])
        vias = tuple((what, p) for what, where in zip(parts[1::2], parts[2::2], strict=True) if (p := place_of(where)))
    else:
        return None
    read = error_of(said)
    error, message, reason, because = read if read is not None else ("", said.strip(), "", "")
    return Failure(error, reason, message, because, place, vias=vias)


def _read_problems(lines: list[str], at: int, problems: list[Problem]) -> int:
    held = ""
    while at < len(lines) and not _ends(lines[at]):
        line = lines[at]
        at += 1
        if not held and (m := _PROBLEM.match(line)) is None:
            if line.strip():
                problems.append(Problem("type", line.strip()))
            continue
        held = f"{held}\n{line}" if held else line
        m = _PROBLEM.match(held)
        tail = _TAIL.search(held)
        if m is None or tail is None:
            continue
        place = place_of(tail["where"])
        line_of, column = (place.start.line, place.start.column) if place else (0, 0)
        problems.append(Problem(_KINDS[m[1]], held[m.end() : tail.start()].strip(), line_of, column))
        held = ""
    return at
