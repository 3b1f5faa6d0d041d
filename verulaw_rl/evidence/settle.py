"""The run beside the plain one: contract clauses or vacuity, and the probes, in one call of the verifier.

What the agent is told rests on the first two, so nothing of a probe may change them: where the tool fails or runs out
on the whole, the first two are asked again alone, and the probes keep what the whole run said of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from verulaw_rl.evidence.ablation import AblatedRun, Verifier, failing_annotations, run_ablated
from verulaw_rl.evidence.checks import EXIT, clause_checks, probe_checks, vacuity_check, with_vacuity
from verulaw_rl.evidence.obligation_results import Settled
from verulaw_rl.evidence.vacuity import vacuity_checks
from verulaw_rl.languages.base import Check, Language
from verulaw_rl.verification.verdict import Status


def settle(language: Language, settled: Settled, verified: bool, verify: Verifier) -> tuple[AblatedRun | None, bool]:
    """What the plain run leaves open, and whether the tool failed on the probes.

    Args:
        language: of the candidate.
        settled: the plain run.
        verified: whether it verified.
        verify: verifies one program text.

    Returns:
        The run, ``None`` where there is nothing to settle; and ``True`` where its probes say nothing of the candidate.
    """
    own = with_vacuity(_own_checks(language, settled, verified))
    probes = [check for probe in settled.instance.probes for check in probe_checks(probe)]
    if not own and not probes:
        return None, False
    view = settled.view
    drop = set() if verified else failing_annotations(view, settled.plain.failures, settled.failed_additions)
    run = run_ablated(language, view, with_vacuity([*own, *probes]), drop, verify)
    if not probes or not _disturbed(run, own):
        return run, False
    broken = run.verdict is None or (run.verdict.status is Status.ERROR and not run.verdict.program_fault)
    if not own:
        return None, broken
    alone = run_ablated(language, view, own, drop, verify)
    return replace(alone, sites={**run.sites, **alone.sites}, calls=run.calls + alone.calls), broken


def _own_checks(language: Language, settled: Settled, verified: bool) -> list[Check]:
    """Checks that are the candidate's own matter: every clause of what is not proved, or vacuity of what is."""
    instance, view = settled.instance, settled.view
    if verified:
        return vacuity_checks(language, instance.task, instance.given, view)
    unproved = [view.by_path[path] for path in settled.unproved() if path in view.by_path]
    checks = [check for declaration in unproved for check in clause_checks(declaration)]
    # Without a clause there is still something to see: whether its own annotations hold.
    return checks + [vacuity_check(d.path, EXIT) for d in unproved if d.body is not None]


def _disturbed(run: AblatedRun, own: Sequence[Check]) -> bool:
    """Whether the probes may have kept the tool from the rest."""
    if run.verdict is None or run.verdict.status in (Status.ERROR, Status.INVALID):
        return True
    return any(site.proved is None for check in own for site in run.sites.get(check.id, ()))
