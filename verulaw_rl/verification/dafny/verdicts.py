"""From what Dafny printed of a program to a Verdict: status, declarations, clauses, completeness.

Verified means more than an exit status or "0 errors": the summary or a verified line for every
procedure is there, nothing ran out, and no declaration with something to prove was passed over.
Positions are put to clauses by the parser of ``languages``, where the program is at hand.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from verulaw_rl.languages.base import Category, Clause, DeclarationView, ProgramView, Span
from verulaw_rl.languages.registry import get_language
from verulaw_rl.verification.dafny.messages import OTHER, Meaning
from verulaw_rl.verification.dafny.names import CONSTRUCTOR, split_procedure
from verulaw_rl.verification.dafny.output import Message, Output
from verulaw_rl.verification.verdict import (
    DeclarationOutcome,
    Diagnostic,
    Location,
    Status,
    Times,
    ToolIdentity,
    Verdict,
)

_WORST = {"verified": 0, "skipped": 1, "inconclusive": 2, "timeout": 3, "failed": 4}

_BY_CLAUSE = {
    "ensures": Meaning(Category.POSTCONDITION, "postcondition"),
    "requires": Meaning(Category.SAFETY, "precondition"),
    "invariant": Meaning(Category.INVARIANT, "invariant"),
    "assert": Meaning(Category.ASSERTION, "assertion"),
    "decreases": Meaning(Category.TERMINATION, "decreases"),
    "modifies": Meaning(Category.SAFETY, "frame"),
    "reads": Meaning(Category.SAFETY, "frame"),
}


@dataclass(frozen=True, slots=True)
class _Where:
    """A clause and the declaration that holds it."""

    declaration: DeclarationView
    clause: Clause


class _Program:
    """Positions of one program: offsets, declarations, clauses."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.view: ProgramView = get_language("dafny").parse(source)
        self._starts = [0]
        for i, c in enumerate(source):
            if c == "\n":
                self._starts.append(i + 1)
        self._clauses = [
            _Where(d, c)
            for d in self.view.declarations
            for c in (*d.clauses, *d.asserts, *(c for loop in d.loops for c in loop.clauses))
        ]

    def offset(self, location: Location) -> int | None:
        if not 1 <= location.line <= len(self._starts) or location.column < 0:
            return None
        offset = self._starts[location.line - 1] + location.column
        return offset if offset <= len(self.source) else None

    def clause_at(self, location: Location) -> _Where | None:
        """The innermost clause that holds the position."""
        offset = self.offset(location)
        if offset is None:
            return None
        holding = [w for w in self._clauses if w.clause.span.contains(offset)]
        return min(holding, key=lambda w: _length(w.clause.span)) if holding else None

    def declaration_at(self, location: Location) -> DeclarationView | None:
        """The innermost declaration that holds the position."""
        offset = self.offset(location)
        if offset is None:
            return None
        holding = [d for d in self.view.declarations if d.span.contains(offset)]
        return min(holding, key=lambda d: _length(d.span)) if holding else None

    def resolve(self, path: str, near: DeclarationView | None) -> str:
        """The declaration path that a printed, perhaps shortened, path means."""
        paths = [d.path for d in self.view.declarations]
        if path in paths:
            return path
        fitting = [p for p in paths if p.endswith("." + path)]
        if not fitting and path.rpartition(".")[2] == CONSTRUCTOR:
            owner = path.removesuffix("." + CONSTRUCTOR)
            fitting = [
                d.path
                for d in self.view.declarations
                if d.kind == "constructor" and _owner(d.path, owner) and _anonymous(d.name)
            ]
        if near is not None and near.path in fitting:
            return near.path
        return fitting[0] if len(fitting) == 1 else path


def _length(span: Span) -> int:
    return span.end - span.start


def _owner(path: str, owner: str) -> bool:
    before = path.rpartition(".")[0]
    return before == owner or before.endswith("." + owner)


def _anonymous(name: str) -> bool:
    return name in ("", CONSTRUCTOR, "constructor")


def make_verdict(
    output: Output,
    program: str | None,
    *,
    tool: ToolIdentity,
    error_limit: int,
    server: bool = False,
    ended: bool = True,
    times: Times | None = None,
    sandbox: str = "",
) -> Verdict:
    """Judge an output.

    Args:
        output: what the tool printed.
        program: the program's text; ``None`` for a recording whose program is not at hand.
        tool: who printed it.
        error_limit: the limit per procedure that the tool was given; 0 when it is not known.
        server: whether success shows in procedure lines (2.3's server) and not in a summary.
        ended: whether the tool came to its end; ``False`` when it was stopped by the wall clock.
        times: seconds spent.
        sandbox: which sandbox held.
    """
    view = None if program is None or output.frontend_failed else _Program(program)
    # The server adds what the tool inferred ("Info:"), the command line does not: not part of a verdict.
    diagnostics = tuple(
        _diagnostic(m, output, view) for m in output.messages if program is None or m.severity != "info"
    )
    outcomes = _outcomes(output, view)
    skipped = () if view is None or not output.procedures else _skipped(view, outcomes)
    status, message = _status(output, server=server, ended=ended, skipped=tuple(o.declaration for o in skipped))
    undecided = any(p.outcome in ("timeout", "inconclusive") for p in output.procedures) or any(
        d.undecided for d in diagnostics
    )
    per_procedure = Counter(m.procedure for m in output.messages if m.severity == "error" and m.category is not None)
    truncated = error_limit > 0 and any(n >= error_limit for n in per_procedure.values())
    verified_count, error_count = _counts(output, diagnostics, server=server)
    return Verdict(
        status=status,
        diagnostics=diagnostics,
        complete=status in (Status.VERIFIED, Status.FAILED)
        and not (undecided or truncated or skipped or output.crash)
        and ended,
        tool=tool,
        declarations=(*outcomes, *skipped),
        verified_count=verified_count,
        error_count=error_count,
        message=message,
        sandbox=sandbox,
        times=times or Times(),
    )


def _counts(output: Output, diagnostics: tuple[Diagnostic, ...], *, server: bool) -> tuple[int | None, int | None]:
    """Procedures verified and checks failed; nothing of a program that was not looked at."""
    if output.summary:
        return output.summary.verified, output.summary.errors
    if output.frontend_failed or not server:
        return None, None
    verified = sum(p.outcome == "verified" for p in output.procedures)
    return verified, sum(d.severity == "error" and not d.undecided for d in diagnostics)


def _status(output: Output, *, server: bool, ended: bool, skipped: tuple[str, ...]) -> tuple[Status, str]:
    errors = [m for m in output.messages if m.severity == "error"]
    if output.frontend_failed:
        first = errors[0].text.split("\n", 1)[0] if errors else "the program was not read"
        return Status.INVALID, first
    failed = any(p.outcome == "failed" for p in output.procedures)
    counted = output.summary.errors if output.summary else 0
    if failed or counted or any(not m.undecided for m in errors):
        number = sum(not m.undecided for m in errors) or counted
        return Status.FAILED, f"{number} failed check{'s' if number != 1 else ''}"
    unsure = [p.name for p in output.procedures if p.outcome != "verified"]
    if unsure or errors or (output.summary and output.summary.undecided):
        names = ", ".join(split_procedure(n)[0] for n in unsure[:3])
        return Status.TIMEOUT, f"undecided within the limits: {names or 'see the diagnostics'}"
    if not ended:
        return Status.TIMEOUT, "stopped by the wall clock"
    if output.crash:
        return Status.ERROR, output.crash
    if output.not_attempted and output.summary is None:
        return Status.ERROR, "the tool did not attempt verification"
    if not server and output.summary is None:
        return Status.ERROR, "the tool said nothing of an end"
    checked = len(output.procedures) or (output.summary.verified if output.summary else 0)
    if checked == 0:
        return Status.INVALID, "nothing to verify: no declaration has a proof obligation"
    if skipped:
        return Status.FAILED, f"not checked by the tool: {', '.join(skipped[:3])}"
    return Status.VERIFIED, f"{checked} verified, 0 errors"


def _diagnostic(message: Message, output: Output, view: _Program | None) -> Diagnostic:
    category, kind = message.category, message.kind
    where: str | None = None
    declaration: DeclarationView | None = None
    if view is not None and message.severity == "error":
        primary = view.clause_at(message.location)
        attached = next((w for r in message.related if (w := view.clause_at(r.location)) is not None), None)
        named = primary is not None and primary.clause.kind == "assert" and _renamed(view, primary.clause)
        if named and (category is not None or not kind):
            # {:error "..."}: the words are the program's own, whatever they look like.
            category, kind = _BY_CLAUSE["assert"]
        if not kind:
            at = attached or primary
            category, kind = _BY_CLAUSE.get(at.clause.kind, OTHER) if at is not None else OTHER
        failing = _failing(kind, primary, attached)
        if failing is not None:
            where = view.source[failing.clause.span.start : failing.clause.span.end].strip()
        declaration = view.declaration_at(message.location)
    elif not kind and message.severity == "error":
        category, kind = OTHER
    path: str | None = declaration.path if declaration is not None else None
    if message.procedure is not None and message.severity == "error":
        name = split_procedure(output.procedures[message.procedure].name)[0]
        path = view.resolve(name, declaration) if view is not None else name
    return Diagnostic(
        category=category,
        severity=message.severity,
        location=message.location,
        message=message.text,
        declaration=path or None,
        clause=where,
        kind=kind,
        related=message.related,
        undecided=message.undecided,
    )


def _renamed(view: _Program, clause: Clause) -> bool:
    return "{:error" in view.source[clause.span.start : clause.expression_span.start].replace(" ", "")


def _failing(kind: str, primary: _Where | None, attached: _Where | None) -> _Where | None:
    """The clause that could not be proved: attached for contracts, at the place itself for the rest."""
    if kind in ("postcondition", "precondition", "function_precondition", "yield_postcondition"):
        return attached
    if primary is not None and kind.startswith(("invariant", "assertion", "decreases")):
        return primary
    return None


def _outcomes(output: Output, view: _Program | None) -> tuple[DeclarationOutcome, ...]:
    """One outcome for each declaration and part: the worst, should a text name one twice."""
    worst: dict[tuple[str, str], DeclarationOutcome] = {}
    for i, procedure in enumerate(output.procedures):
        path, part = split_procedure(procedure.name)
        if view is not None:
            near = next((view.declaration_at(m.location) for m in output.messages if m.procedure == i), None)
            path = view.resolve(path, near)
        outcome = DeclarationOutcome(path, part, procedure.outcome, procedure.obligations)
        before = worst.get((path, part))
        if before is None or _WORST[outcome.outcome] > _WORST[before.outcome]:
            worst[path, part] = outcome
    return tuple(worst.values())


def _skipped(view: _Program, outcomes: tuple[DeclarationOutcome, ...]) -> tuple[DeclarationOutcome, ...]:
    """Declarations with a body and something to prove in it of which the tool said nothing."""
    seen = {o.declaration for o in outcomes}
    out = []
    for d in view.view.declarations:
        if not d.callable or d.body is None or d.path in seen:
            continue
        invariants = any(c.kind == "invariant" for loop in d.loops for c in loop.clauses)
        if invariants or d.asserts or any(c.kind == "ensures" for c in d.clauses):
            out.append(DeclarationOutcome(d.path, "body", "skipped", None))
    return tuple(out)
