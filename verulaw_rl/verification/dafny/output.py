"""Reads what Dafny printed, live or recorded, from the command line or the server, 2.3 to 4.x.

:func:`parse_output` turns text into an :class:`Output`: messages with their attached locations, what
was said of each Boogie procedure, summaries, and signs of a crash. It judges nothing (that is
``dafny.verdicts``), never raises, and takes structure, not words, for its guide: a program can choose
the words of a message (``{:error "..."}``), even over several lines. Where the name under which
the program was sent is known and secret, only lines that begin with it are messages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal

from verulaw_rl.languages.base import Category
from verulaw_rl.verification.dafny.messages import BP_CODES, classify
from verulaw_rl.verification.verdict import Location, Related

Dialect = Literal["2", "4"]

ProcedureOutcome = Literal["verified", "failed", "timeout", "inconclusive"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message as printed, before anything of the program is known."""

    severity: Literal["error", "warning", "info"]
    location: Location
    text: str
    category: Category | None
    kind: str
    """Empty for a failed check whose text says nothing: the position has to."""
    related: tuple[Related, ...] = ()
    undecided: bool = False
    file: str = ""
    procedure: int | None = None
    """Index into :attr:`Output.procedures`, where the text is grouped by procedure."""


@dataclass(frozen=True, slots=True)
class Procedure:
    """What was said of one Boogie procedure (or, in 4.x messages, one symbol)."""

    name: str
    outcome: ProcedureOutcome
    obligations: int | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of ``Dafny program verifier finished with ...`` lines, added up over the runs of a text."""

    verified: int = 0
    errors: int = 0
    undecided: int = 0
    """Time outs, out of resource, out of memory, inconclusive and solver exceptions together."""
    runs: int = 0


@dataclass(frozen=True, slots=True)
class Output:
    """All that a text says."""

    messages: tuple[Message, ...]
    procedures: tuple[Procedure, ...]
    summary: Summary | None
    frontend_failed: bool
    """Parse, resolution or type errors: nothing was verified."""
    not_attempted: bool
    """The tool said that it did not attempt verification."""
    crash: str
    """First sign of a crash of the tool or its solver; empty for none."""
    dialect: Dialect


_POSITION = re.compile(r"(?P<file>\S[^\n]*?)\((?P<line>\d+),(?P<column>-?\d+)\): (?P<rest>.*)")
_KIND = re.compile(r"(?P<kind>Error|Warning|Info)(?: (?P<code>BP\d{4}))?: ?(?P<text>.*)")
_RELATED = re.compile(r"Related (?P<what>location|message)(?:: (?P<text>.*))?")
_VERIFYING = re.compile(r"Verifying (?P<name>\S+) \.\.\.")
_OUTCOME = re.compile(
    r"  \[(?:[\d.]+ s, )?(?P<count>\d+) proof obligations?\]  "
    r"(?P<outcome>verified|errors?|timed out|out of resource|out of memory|inconclusive)"
)
_SUMMARY = re.compile(r"Dafny program verifier finished with (?P<counts>\d+ (?:assertions )?verified, \d+ errors?.*)")
_FRONTEND = re.compile(r"\d+ (?:parse|resolution/type) errors detected in .*")
_UNDECIDED_PROCEDURE = re.compile(
    r"Verification (?:"
    r"of '(?P<timed>[^\n']*(?:'[^\n']*)*)' timed out after .*"
    r"|(?:out of resource|out of memory|inconclusive) \((?P<gone>.*)\)"
    r"|encountered solver exception \((?P<exception>.*)\)"
    r")"
)
_UNDECIDED_CHECK = re.compile(
    r"(?:Timed out|Out of resource|Out of memory|Inconclusive) on(?: (?P<code>BP\d{4}))?: (?P<text>.*)"
)
_SNIPPET = re.compile(r" *\d* *\|(?: .*)?")
_CRASH = re.compile(
    r"Unhandled Exception|\[ERROR\] FATAL UNHANDLED EXCEPTION|\[FATAL\]|\*\*\* ProverException|Prover error: "
    r"|Advisory: .* SKIPPED because of internal error|\*\*\* Encountered internal translation error"
    r"|\(0,-1\): Error: "  # of the Boogie program that Dafny made; the server says no more than this, and "[SUCCESS]"
    r"|Internal error occurred during verification|Encountered internal compilation exception"
    r"|Dafny encountered an internal error|Z3 not found at "
)
_RAN_OUT = "max. resource limit exceeded"
"""In a ``Prover error`` that is no crash: ``{:rlimit 1}`` does not even leave enough for the solver's greeting."""

_NOISE = re.compile(
    r"Execution trace:|Verification completed successfully!|\[(?:SUCCESS|FAILURE)\].*|Dafny program verifier .*"
    r"|Retrieving cached verification result .*|Parsing .*|\[TRACE\].*|Coalescing .*|Inlining .*|Compiled .*"
    r"|Dafny \d+\.\d+.*|Error opening file .*|\d+ (?:parse|resolution/type) errors detected in .*"
)
_OUTCOMES: dict[str, ProcedureOutcome] = {
    "verified": "verified",
    "error": "failed",
    "errors": "failed",
    "timed out": "timeout",
    "out of resource": "timeout",
    "out of memory": "timeout",
    "inconclusive": "inconclusive",
}
_PARSE_TEXT = re.compile(r".*\b(expected|not expected.*)|invalid [A-Z]\w*|.*(unexpected|missing) token.*", re.DOTALL)

_CODED = {meaning.kind for meaning in BP_CODES.values()} - {"assertion"}
"""Kinds that 2.3 never prints without their code."""


@dataclass(slots=True)
class _Reader:
    """State while walking over the lines."""

    file: str | None
    dialect: Dialect
    messages: list[Message] = field(default_factory=list)
    procedures: list[Procedure] = field(default_factory=list)
    named: str | None = None
    """Procedure announced whose outcome has not been read."""
    current: int | None = None
    in_trace: bool = False
    open: bool = False
    """Whether a line without structure continues the last message."""
    in_related: bool = False

    def line(self, line: str) -> None:
        if (m := _OUTCOME.fullmatch(line)) and self.named is not None:
            self.procedures.append(Procedure(self.named, _OUTCOMES[m["outcome"]], int(m["count"])))
            self.named, self.current = None, len(self.procedures) - 1
            self._close()
        elif m := _VERIFYING.fullmatch(line):
            self.named, self.current = m["name"], None
            self._close()
        elif line == "Execution trace:":
            self._close()
            self.in_trace = True
        elif self.in_trace and line.startswith("    "):
            pass
        elif (m := _POSITION.fullmatch(line)) and (self.file is None or m["file"] == self.file) and self._positioned(m):
            self.in_trace = False
        elif not line.strip() or _NOISE.fullmatch(line) or (self.dialect == "4" and _SNIPPET.fullmatch(line)):
            if line.strip() and not _SNIPPET.fullmatch(line):
                self._close()
        elif line.startswith(" ") and (m := _RELATED.fullmatch(line.strip())) and m["what"] == "message":
            pass  # 4.x: a second line of an invariant's message, which the kind says already
        elif self.open and (line.startswith(" ") or self.file is not None):
            self._continue(line.strip())
        else:
            self._close()

    def _close(self) -> None:
        self.open = self.in_trace = self.in_related = False

    def _continue(self, text: str) -> None:
        last = self.messages[-1]
        if self.in_related and last.related:
            *before, related = last.related
            related = replace(related, message=f"{related.message}\n{text}")
            self.messages[-1] = replace(last, related=(*before, related))
        else:
            self.messages[-1] = replace(last, text=f"{last.text}\n{text}")

    def _positioned(self, m: re.Match[str]) -> bool:
        """Take a line with a position; ``False`` when what follows the position is no message of the tool."""
        location = Location(int(m["line"]), int(m["column"]))
        rest = m["rest"]
        if r := _RELATED.fullmatch(rest):
            if self.messages and r["what"] == "location":
                last = self.messages[-1]
                self.messages[-1] = replace(last, related=(*last.related, Related(location, r["text"] or "")))
                self.open = self.in_related = True
            return True
        severity: Literal["error", "warning", "info"] = "error"
        undecided = False
        code: str | None = None
        if u := _UNDECIDED_CHECK.fullmatch(rest):
            code, text, undecided = u["code"], u["text"], True
        elif k := _KIND.fullmatch(rest):
            code, text = k["code"], k["text"]
            severity = {"Error": "error", "Warning": "warning", "Info": "info"}[k["kind"]]  # type: ignore[assignment]
        else:
            text = rest
        if gone := _UNDECIDED_PROCEDURE.fullmatch(text):
            name = gone["timed"] or gone["gone"] or gone["exception"]
            if self.current is None:
                outcome: ProcedureOutcome = "inconclusive" if "inconclusive" in text or gone["exception"] else "timeout"
                self.procedures.append(Procedure(name, outcome))
            # Of the whole procedure, so of no category of its own; the checks follow.
            kind = "resource" if "out of" in text else "inconclusive" if "inconclusive" in text else "timeout"
            self._add(m["file"], "error", location, text, None, kind, undecided=True)
            return True
        if text is rest and not undecided:
            return False
        if severity != "error":
            self._add(m["file"], severity, location, text, None, severity)
            return True
        if code is not None:
            self.dialect = "2"
        meaning = classify(text, code)
        if meaning is not None and self.dialect == "2" and code is None and meaning.kind in _CODED:
            meaning = None  # the program chose these words
        category, kind = meaning if meaning is not None else (None, "")
        self._add(m["file"], "error", location, text, category, kind, undecided=undecided)
        return True

    def _add(
        self,
        file: str,
        severity: Literal["error", "warning", "info"],
        location: Location,
        text: str,
        category: Category | None,
        kind: str,
        *,
        undecided: bool = False,
    ) -> None:
        self.messages.append(
            Message(severity, location, text, category, kind, (), undecided, file=file, procedure=self.current)
        )
        self.open, self.in_related = True, False


def parse_output(text: str, *, file: str | None = None, dialect: Dialect | None = None, server: bool = False) -> Output:
    """Read all that one invocation (or a recording of several) printed.

    Args:
        text: standard output; line ends of either kind.
        file: the program's name as it was given to the tool, where it is known and cannot be known to the program.
        dialect: ``"2"`` up to 2.3, ``"4"`` from there; guessed from the text when not given.
        server: whether it is a reply of 2.3's server, which prints no summary and no "errors detected" line.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    guessed: Dialect = dialect or ("2" if any(_VERIFYING.fullmatch(x) or ": Error BP5" in x for x in lines) else "4")
    reader = _Reader(file, guessed)
    summary: Summary | None = None
    frontend = not_attempted = False
    crash = ""
    verifying_seen = False
    for line in lines:
        verifying_seen = verifying_seen or _VERIFYING.fullmatch(line) is not None
        if m := _SUMMARY.fullmatch(line):
            summary = _add_up(summary, m["counts"])
        elif _FRONTEND.fullmatch(line):
            frontend = True
        elif line.startswith("Dafny program verifier did not attempt verification"):
            not_attempted = True
        elif not crash and _CRASH.match(line) and _RAN_OUT not in line:
            crash = line.strip()
        reader.line(line)
    before = [x for x in reader.messages if x.severity == "error" and x.procedure is None]
    if server and before and not verifying_seen:
        frontend = True
    messages = reader.messages
    if frontend or (not_attempted and summary is None):
        messages = [_as_frontend(x) for x in messages]
        frontend = frontend or any(x.severity == "error" for x in messages)
    return Output(tuple(messages), tuple(reader.procedures), summary, frontend, not_attempted, crash, reader.dialect)


def _as_frontend(message: Message) -> Message:
    if message.severity != "error":
        return message
    kind = "parse" if _PARSE_TEXT.fullmatch(message.text) else "resolution"
    return replace(message, category=None, kind=kind)


def _add_up(summary: Summary | None, counts: str) -> Summary:
    summary = summary or Summary()
    verified = errors = undecided = 0
    for number, what in re.findall(r"(\d+) ([a-z ]+)", counts):
        if what.endswith("verified"):
            verified += int(number)
        elif what.startswith("error"):
            errors += int(number)
        else:
            undecided += int(number)
    return Summary(
        summary.verified + verified, summary.errors + errors, summary.undecided + undecided, summary.runs + 1
    )
