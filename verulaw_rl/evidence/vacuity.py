"""Vacuity: where ``false`` is proved, everything is.

In a submission that otherwise verifies, a declaration all of whose exits are vacuous proves nothing and
is a proof escape; so is an added helper whose end is vacuous though its entry is not. A single dead exit
(a defensive branch that the precondition rules out) is honest in code generation, where the control flow
is the candidate's; in annotation repair the exits are the reference's, and any that is vacuous here and
not there is an escape.
"""

from __future__ import annotations

from verulaw_rl.evidence.ablation import AblatedRun, Verifier, run_ablated
from verulaw_rl.evidence.checks import EXIT, SiteResult, vacuity_check, vacuity_id
from verulaw_rl.languages.base import (
    Check,
    DeclarationView,
    Finding,
    FindingKind,
    Language,
    Point,
    ProgramView,
    Task,
)
from verulaw_rl.suites.instance import Instance, VacuousPoint
from verulaw_rl.verification.verdict import Status

ENTRY = Point("entry")


def vacuity_checks(language: Language, task: Task, given: str, view: ProgramView) -> list[Check]:
    """``false`` at the exits of every body to be proved and of every added helper, and at the helpers' entries."""
    before = language.parse(given).by_path
    checks = []
    for declaration in _bodies(language, task, view):
        checks.append(vacuity_check(declaration.path, EXIT))
        if declaration.path not in before:
            checks.append(vacuity_check(declaration.path, ENTRY))
    return checks


def _bodies(language: Language, task: Task, view: ProgramView) -> list[DeclarationView]:
    return [d for d in language.targets(view, task) if d.body is not None and d.kind not in ("function", "predicate")]


def vacuous_declarations(
    language: Language, instance: Instance, view: ProgramView, run: AblatedRun
) -> tuple[Finding, ...]:
    """Proof findings for declarations of a verified candidate that are vacuous where the reference is not.

    Where the tool refused the program with our checks in it, nothing is known and nothing is held against it; a body
    that no check of an exit could be placed in has no exit.
    """
    before = language.parse(instance.given).by_path
    out = []
    for declaration in _bodies(language, instance.task, view):
        if declaration.path in run.given_up:
            continue
        frozen = instance.task is Task.ANNOTATION_REPAIR and declaration.path in before
        exits = run.sites.get(vacuity_id(declaration.path, EXIT), [])
        if frozen:
            allowed = {v.point.index for v in instance.vacuous if _at_exit(v, declaration.path)}
            vacuous = any(site.proved is True for k, site in enumerate(exits) if k not in allowed)
        else:
            vacuous = _wholly_vacuous(declaration, exits, run.sites, added=declaration.path not in before)
        if vacuous:
            out.append(_finding(declaration))
    return tuple(out)


def vacuity_findings(
    language: Language, task: Task, given: str, candidate: str, verify: Verifier
) -> tuple[Finding, ...]:
    """Vacuity of a candidate without its instance, as ``verulaw-rl audit`` checks two files.

    Empty for a candidate that does not verify: there it is no offence.
    """
    if verify(candidate).status is not Status.VERIFIED:
        return ()
    view = language.parse(candidate)
    before = language.parse(given).by_path
    run = run_ablated(language, view, tuple(vacuity_checks(language, task, given, view)), set(), verify)
    return tuple(
        _finding(d)
        for d in _bodies(language, task, view)
        if d.path not in run.given_up
        and _wholly_vacuous(d, run.sites.get(vacuity_id(d.path, EXIT), []), run.sites, added=d.path not in before)
    )


def _at_exit(vacuous: VacuousPoint, path: str) -> bool:
    return vacuous.declaration == path and vacuous.point.kind == "exit"


def _wholly_vacuous(
    declaration: DeclarationView, exits: list[SiteResult], sites: dict[str, list[SiteResult]], *, added: bool
) -> bool:
    """Whether no exit can be reached without a contradiction; an added helper may start from one."""
    entries = sites.get(vacuity_id(declaration.path, ENTRY), [])
    if added and any(site.proved for site in entries):
        return False
    return all(site.proved is True for site in exits)


def _finding(declaration: DeclarationView) -> Finding:
    return Finding(
        FindingKind.PROOF,
        "vacuous_proof",
        declaration.path,
        declaration.line,
        f"`false` is provable at the end of `{declaration.path}`, so nothing that it proves counts",
        "find the call, annotation or loop that makes the facts contradictory or never ends, and prove it honestly",
    )
