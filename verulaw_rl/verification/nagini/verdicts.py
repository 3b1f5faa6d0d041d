"""From what Nagini said of a program to a Verdict: status, declarations, clauses, completeness.

Verified means that the verifier came to its end without a failure and, where it says so (the resident program),
that a Viper member of every declaration with a body was among those verified. ``@ContractOnly`` declarations and
those without an implementation are trusted by Nagini: they are ``skipped``, never verified.
"""

from __future__ import annotations

from verulaw_rl.verification.nagini.messages import meaning
from verulaw_rl.verification.nagini.output import Declared, Failure, Member, Output, Place, Problem
from verulaw_rl.verification.nagini.places import Places
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

NOWHERE = Location(0, 0)


def make_verdict(
    output: Output,
    program: str | None,
    *,
    tool: ToolIdentity,
    error_limit: int,
    ended: bool = True,
    times: Times | None = None,
    sandbox: str = "",
) -> Verdict:
    """Judge an output.

    Args:
        output: what the tool said.
        program: the program's text; ``None`` for a recording whose program is not at hand.
        tool: who said it.
        error_limit: the limit per declaration that the tool was given; 0 when it is not known.
        ended: whether the tool came to its end; ``False`` when it was stopped by the wall clock.
        times: seconds spent.
        sandbox: which sandbox held.
    """
    places = Places(program) if program is not None else None
    diagnostics = (
        *(_rejected(p, places) for p in output.problems),
        *dict.fromkeys(_diagnostic(f, program, places) for f in output.failures),
    )
    outcomes = () if output.members is None else _outcomes(output.members, output.declared, diagnostics, output.outcome)
    status, message = _status(output, diagnostics, outcomes, ended=ended)
    undecided = any(d.undecided for d in diagnostics) or any(o.outcome == "timeout" for o in outcomes)
    truncated = 0 < error_limit <= len(output.failures)
    return Verdict(
        status=status,
        diagnostics=diagnostics,
        complete=status in (Status.VERIFIED, Status.FAILED) and ended and not (undecided or truncated),
        tool=tool,
        declarations=outcomes,
        verified_count=sum(o.outcome == "verified" for o in outcomes) if output.members is not None else None,
        error_count=len(diagnostics) if output.outcome in ("verified", "failed") else None,
        message=message,
        sandbox=sandbox,
        times=times or Times(),
    )


def _status(
    output: Output, diagnostics: tuple[Diagnostic, ...], outcomes: tuple[DeclarationOutcome, ...], *, ended: bool
) -> tuple[Status, str]:
    if output.outcome == "invalid":
        return Status.INVALID, diagnostics[0].message.split("\n", 1)[0] if diagnostics else "the program was not read"
    failed = sum(not d.undecided for d in diagnostics)
    if failed:
        return Status.FAILED, f"{failed} failed check{'s' if failed != 1 else ''}"
    if output.outcome == "timeout":
        return Status.TIMEOUT, "undecided within the limit of solver work"
    if not ended:
        return Status.TIMEOUT, "stopped by the wall clock"
    if diagnostics:
        return Status.TIMEOUT, f"undecided within the limits: {diagnostics[0].message}"
    if output.outcome == "fault":
        return Status.ERROR, output.said.strip().split("\n", 1)[0] or "the tool broke"
    if output.outcome != "verified":
        return Status.ERROR, "the tool said nothing of an end"
    if output.members is None:
        return Status.VERIFIED, "verified"
    missing = [o.declaration for o in outcomes if o.outcome == "skipped" and not _trusted(o, output)]
    if missing:
        return Status.FAILED, f"not checked by the tool: {', '.join(missing[:3])}"
    checked = sum(o.outcome == "verified" for o in outcomes)
    if checked == 0:
        return Status.INVALID, "nothing to verify: no function has a body of its own to prove"
    return Status.VERIFIED, f"{checked} verified, 0 errors"


def _trusted(outcome: DeclarationOutcome, output: Output) -> bool:
    return any(d.path == outcome.declaration and d.contract_only for d in output.declared)


def _rejected(problem: Problem, places: Places | None) -> Diagnostic:
    location = Location(problem.line, problem.column) if problem.line else NOWHERE
    return Diagnostic(
        category=None,
        severity="error",
        location=location,
        message=problem.message if problem.kind != "unsupported" else f"not supported: {problem.message}",
        declaration=places.declaration_at(location) if places and problem.line else None,
        kind="parse" if problem.kind == "type" and problem.message.startswith("invalid syntax") else problem.kind,
    )


def _diagnostic(failure: Failure, program: str | None, places: Places | None) -> Diagnostic:
    found = meaning(failure.error, failure.reason, failure.because, failure.message, program)
    location = failure.at.start if failure.at else NOWHERE
    return Diagnostic(
        category=found.category,
        severity="error",
        location=location,
        message=f"{failure.message} {failure.because}".strip(),
        declaration=places.declaration_at(location) if places else None,
        clause=places.clause_at(location, found.category) if places else None,
        kind=found.kind,
        related=_related(failure, failure.at),
        undecided=failure.ran_out,
    )


def _related(failure: Failure, at: Place | None) -> tuple[Related, ...]:
    """The failing part of a clause (or of a callee's contract) first: it tells two failures at one place apart."""
    found = [Related(p.start, f"via {what}") for what, p in failure.vias if at is None or p.file == at.file]
    reason = failure.reason_at
    if reason is not None and reason != at and (at is None or reason.file == at.file):
        found.insert(0, Related(reason.start, failure.because))
    return tuple(found)


def _outcomes(
    members: tuple[Member, ...], declared: tuple[Declared, ...], diagnostics: tuple[Diagnostic, ...], outcome: str
) -> tuple[DeclarationOutcome, ...]:
    by_name: dict[str, bool] = {}
    for m in members:
        by_name[m.name] = by_name.get(m.name, True) and m.verified
    failed = {d.declaration for d in diagnostics if not d.undecided}
    out = []
    for d in declared:
        part = "wellformedness" if d.predicate else "body"
        if d.contract_only:
            said = "skipped"
        elif d.viper in by_name:
            said = "verified" if by_name[d.viper] and d.path not in failed else "failed"
        else:
            said = "timeout" if outcome == "timeout" else "failed" if d.path in failed else "skipped"
        out.append(DeclarationOutcome(d.path, part, said))  # type: ignore[arg-type]
    return tuple(out)
