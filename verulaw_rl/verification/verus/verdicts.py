"""From what Verus printed of a program to a Verdict: status, declarations, clauses, completeness.

Verified means: the document is there, says success of the whole crate, counts no error and at least one proof, and no
function to be proved was passed over. A refusal before any proof that says what is not proved (a loop without
``decreases``, a call that panics) is a failure of that obligation, and leaves everything else undecided; any other is
the program's mistake, and the verdict ``invalid``.

A failed postcondition stands at the exit, with its clause attached, whichever of the two the release calls primary; a
failed invariant stands at its clause.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from verulaw_rl.languages.base import Category, Clause, DeclarationView, ProgramView, Task
from verulaw_rl.languages.registry import get_language
from verulaw_rl.verification.verdict import (
    DeclarationOutcome,
    Diagnostic,
    Location,
    Related,
    Status,
    Times,
    ToolIdentity,
    Verdict,
)
from verulaw_rl.verification.verus.messages import (
    OTHER,
    REFUSAL_KINDS,
    Meaning,
    classify,
    is_closing,
    is_resource,
    is_truncated,
    refusal,
)
from verulaw_rl.verification.verus.output import Message, Output, Place

_BY_CLAUSE = {
    "ensures": Meaning(Category.POSTCONDITION, "postcondition"),
    "requires": Meaning(Category.SAFETY, "precondition"),
    "invariant": Meaning(Category.INVARIANT, "invariant"),
    "invariant_except_break": Meaning(Category.INVARIANT, "invariant"),
    "assert": Meaning(Category.ASSERTION, "assertion"),
    "decreases": Meaning(Category.TERMINATION, "decreases"),
}
_EXITS = ("at the end of the function body", "at this exit", "returning this expression", "early return")
_CLAUSE_LABELS = ("failed this ", "failed precondition")


class _Program:
    """Positions of one program: offsets, declarations, clauses."""

    def __init__(self, source: str) -> None:
        language = get_language("verus")
        self.source = source
        self.view: ProgramView = language.parse(source)
        self.targets = language.targets(self.view, Task.ANNOTATION_REPAIR)
        self._starts = [0, *(i + 1 for i, c in enumerate(source) if c == "\n")]
        self._clauses = [
            c
            for d in self.view.declarations
            for c in (*d.clauses, *d.asserts, *(c for loop in d.loops for c in loop.clauses))
        ]

    def offset(self, location: Location) -> int | None:
        if not 1 <= location.line <= len(self._starts) or location.column < 0:
            return None
        offset = self._starts[location.line - 1] + location.column
        return offset if offset <= len(self.source) else None

    def clause_at(self, location: Location) -> Clause | None:
        """The innermost clause that holds the position."""
        offset = self.offset(location)
        holding = [c for c in self._clauses if offset is not None and c.span.contains(offset)]
        return min(holding, key=lambda c: c.span.end - c.span.start, default=None)

    def text_of(self, location: Location) -> str | None:
        """Text of the clause that holds the position."""
        clause = self.clause_at(location)
        return self.source[clause.span.start : clause.span.end].strip().rstrip(",") if clause is not None else None

    def declaration_at(self, location: Location) -> DeclarationView | None:
        """The innermost callable that holds the position, else the innermost declaration."""
        offset = self.offset(location)
        holding = [d for d in self.view.declarations if offset is not None and d.span.contains(offset)]
        return min(holding, key=lambda d: (not d.callable, d.span.end - d.span.start), default=None)

    def named(self, name: str) -> Iterable[DeclarationView]:
        """Declarations that a name as Rust writes it may mean."""
        parts = [p for p in name.split("::") if p]
        last = [d for d in self.view.declarations if d.callable and parts and d.name == parts[-1]]
        close = [d for d in last if d.path.split(".")[-2:-1] == parts[-2:-1]]
        return close or last


def make_verdict(
    output: Output,
    program: str | None,
    *,
    tool: ToolIdentity,
    file: str | None = None,
    live: bool = False,
    ended: bool = True,
    limit: str = "",
    times: Times | None = None,
    sandbox: str = "",
) -> Verdict:
    """Judge an output.

    Args:
        output: what the tool printed.
        program: the program's text; ``None`` for a recording whose program is not at hand.
        tool: who printed it.
        file: name under which the program was handed in; messages about other files (vstd) name no clause of it.
        live: whether it is of a run of ours, which asks for JSON: an error printed as text is the tool's own.
        ended: whether the tool came to its end; ``False`` when it was stopped by the wall clock.
        limit: the resource limit that it had, for the record.
        times: seconds spent.
        sandbox: which sandbox held.
    """
    unproved = output.verified is None
    view = _Program(program) if program is not None else None
    said = [m for m in output.messages if m.level != "error" or not is_closing(m.text)]
    diagnostics = tuple(_diagnostic(m, view, file, proving=not unproved) for m in said)
    errors = [d for d in diagnostics if d.severity == "error"]
    refused = unproved and any(d.kind in REFUSAL_KINDS for d in errors) and all(d.category for d in errors)
    outcomes = _outcomes(output, view, diagnostics, refused=refused)
    skipped = tuple(o.declaration for o in outcomes if o.outcome == "skipped")
    status, message = _status(output, errors, ended=ended, refused=refused, skipped=skipped)
    if live and status is Status.INVALID and not output.ended and all(m.for_people for m in output.messages):
        status = Status.ERROR
    truncated = any(is_truncated(m.text) for m in output.messages)
    undecided = any(d.undecided for d in diagnostics)
    settled = status in (Status.VERIFIED, Status.FAILED)
    counted = output.verified is not None and (output.errors == 0 or bool(errors))
    return Verdict(
        status=status,
        diagnostics=diagnostics,
        complete=settled and ended and counted and not (truncated or undecided or skipped or output.crash),
        tool=tool,
        declarations=outcomes,
        verified_count=output.verified,
        error_count=output.errors,
        message=f"{message} under {limit}" if limit and settled else message,
        sandbox=sandbox,
        times=times or Times(),
    )


def _status(
    output: Output, errors: list[Diagnostic], *, ended: bool, refused: bool, skipped: tuple[str, ...]
) -> tuple[Status, str]:
    if output.crash:
        return Status.ERROR, output.crash
    failed = [d for d in errors if d.category is not None and not d.undecided]
    if refused:
        return Status.FAILED, f"refused before any proof: {failed[0].message}"
    if output.verified is None:
        other = [d for d in errors if d.category is None and not d.undecided]
        if errors and not other:  # a recording without its end
            return Status.FAILED, f"{_counted(len(failed))}, and no summary"
        if errors:
            return Status.INVALID, other[0].message.split("\n", 1)[0]
        if output.ended:
            return Status.INVALID, "rejected before any proof"
        ending = Status.ERROR if ended else Status.TIMEOUT
        return ending, "the tool said nothing of an end" if ended else "stopped by the wall clock"
    undecided = [d for d in errors if d.undecided]
    other = [d for d in errors if d.category is None and not d.undecided]
    if failed:
        return Status.FAILED, _counted(len(failed))
    if undecided:
        names = ", ".join(dict.fromkeys(d.declaration or "?" for d in undecided))
        return Status.TIMEOUT, f"undecided within the limits: {names}"
    if other:
        return Status.INVALID, other[0].message.split("\n", 1)[0]
    if not ended:
        return Status.TIMEOUT, "stopped by the wall clock"
    if output.errors:
        return Status.FAILED, _counted(output.errors)
    if output.partial or (output.success is None and output.functions):
        return Status.ERROR, "only a part of the program was verified"
    if output.success is False:
        return Status.INVALID, "the tool says neither success nor what is wrong"
    if output.verified == 0:
        return Status.INVALID, "nothing to verify: no function has a proof obligation"
    if skipped:
        return Status.FAILED, f"not checked by the tool: {', '.join(skipped[:3])}"
    return Status.VERIFIED, f"{output.verified} verified, 0 errors"


def _counted(number: int) -> str:
    return f"{number} failed check{'s' if number != 1 else ''}"


def _diagnostic(message: Message, view: _Program | None, file: str | None, *, proving: bool) -> Diagnostic:
    own = [p for p in message.places if _is_of(p, file)]
    primary = next((p for p in own if p.primary), own[0] if own else None)
    location = primary.location if primary else Location(1, 0)
    if message.level != "error":
        severity: Literal["warning", "info"] = "warning" if message.level == "warning" else "info"
        return Diagnostic(None, severity, location, message.text, kind=message.level)
    undecided = is_resource(message.text)
    meaning = None if undecided else refusal(message.text) or classify(message.text)
    if meaning is None and proving and not undecided and not message.code and message.places:
        # Words of the program's own (custom_err), or of a newer release: the clause says what failed.
        at = view.clause_at(location) if view is not None else None
        meaning = _BY_CLAUSE.get(at.kind, OTHER) if at is not None else OTHER
    location, failing, related = _placed(meaning, own, location)
    declaration = view.declaration_at(location) if view is not None else None
    clause = view.text_of(failing) if view is not None and failing is not None else None
    kind = "resource" if undecided else "rustc" if message.code else "refused"
    return Diagnostic(
        category=meaning.category if meaning is not None else None,
        severity="error",
        location=location,
        message=message.text,
        declaration=declaration.path if declaration is not None else None,
        clause=clause,
        kind=meaning.kind if meaning is not None else kind,
        related=related,
        undecided=undecided,
    )


def _is_of(place: Place, file: str | None) -> bool:
    return file is None or not place.file or place.file.rsplit("/", 1)[-1] == file.rsplit("/", 1)[-1]


def _placed(
    meaning: Meaning | None, own: list[Place], primary: Location
) -> tuple[Location, Location | None, tuple[Related, ...]]:
    """Where a failure stands, the clause that failed, and what is attached."""
    clause = next((p.location for p in own if p.label.startswith(_CLAUSE_LABELS)), None)
    if meaning is None:
        return primary, None, ()
    if meaning.category is Category.POSTCONDITION:
        left = next((p.location for p in own if p.label.startswith(_EXITS)), None)
        failing = clause or primary
        return left or primary, failing, (Related(failing, "failed this postcondition"),)
    if meaning.category is Category.INVARIANT:
        return clause or primary, clause or primary, ()
    if meaning.kind == "precondition":
        return primary, None, (Related(clause, "failed precondition"),) if clause is not None else ()
    return primary, primary, ()


def _outcomes(
    output: Output, view: _Program | None, diagnostics: tuple[Diagnostic, ...], *, refused: bool
) -> tuple[DeclarationOutcome, ...]:
    """One outcome for each function with a proof: as the breakdown says, else as the failures do."""
    if view is None:
        return ()
    if refused:
        return tuple(DeclarationOutcome(d.path, "body", "inconclusive") for d in view.targets)
    if output.verified is None:
        return ()
    failed = {
        d.declaration for d in diagnostics if d.severity == "error" and d.category is not None and not d.undecided
    }
    timed_out = {d.declaration for d in diagnostics if d.undecided}
    named: dict[str, bool] = {}
    for checked in output.functions:
        for d in view.named(checked.name):
            named[d.path] = named.get(d.path, True) and checked.success
    out = []
    for d in view.targets:
        if d.path in failed:
            outcome = DeclarationOutcome(d.path, "body", "failed")
        elif d.path in timed_out:
            outcome = DeclarationOutcome(d.path, "body", "timeout")
        elif named and d.path not in named:
            outcome = DeclarationOutcome(d.path, "body", "skipped")
        elif named.get(d.path, True):
            outcome = DeclarationOutcome(d.path, "body", "verified")
        else:
            outcome = DeclarationOutcome(d.path, "body", "failed")
        out.append(outcome)
    return tuple(out)
