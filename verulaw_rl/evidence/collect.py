"""The one function that collects Evidence for a candidate.

Audit first (it outranks the verifier), then the plain run of the unmodified candidate, which alone
decides whether it verifies, then one instrumented run for what the plain run does not settle: clauses
hidden by earlier failures, probes, vacuity. The same function scores a training rollout, an evaluation
episode, ``verulaw-rl score`` on a file, and the builder's own references.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable
from dataclasses import replace

from verulaw_rl.audit.check import check
from verulaw_rl.evidence.ablation import Verifier
from verulaw_rl.evidence.coverage import assumed_declarations, missing_declarations
from verulaw_rl.evidence.evidence import Evidence, Message, ObligationResult
from verulaw_rl.evidence.obligation_results import Settled, obligation_results, other_failures
from verulaw_rl.evidence.settle import settle
from verulaw_rl.evidence.vacuity import vacuous_declarations
from verulaw_rl.languages.base import Finding, Language, ProgramView
from verulaw_rl.languages.registry import get_language
from verulaw_rl.suites.instance import Instance
from verulaw_rl.verification.verdict import Status, Verdict


def collect(instance: Instance, candidate: str, verify: Verifier, *, verify_rejected: bool = False) -> Evidence:
    """Everything known of one candidate.

    Args:
        instance: what it is measured by.
        candidate: the whole program handed in.
        verify: verifies one program text of the instance's language (usually a pool's method).
        verify_rejected: also verify what the audit rejects; its score does not change, its record says more.
    """
    started = time.monotonic()
    language = get_language(instance.language)
    findings = check(instance.language, instance.task, instance.given, candidate).findings
    audit_s = time.monotonic() - started
    if findings and not verify_rejected:
        return _unsettled(instance, candidate, findings, None, "rejected by the audit", audit_s)
    plain = verify(candidate)
    if plain.status in (Status.ERROR, Status.INVALID):
        return _unsettled(instance, candidate, findings, plain, plain.message or plain.status.value, audit_s)

    view = language.parse(candidate)
    missing = missing_declarations(instance, view, plain)
    # What our own parser cannot read was not audited either, so it never counts as verified.
    verified = plain.status is Status.VERIFIED and not missing and view.error is None
    settled = Settled(instance, view, plain, frozenset(missing), _failed_additions(language, instance, view, plain))
    run, probes_unsettled = settle(language, settled, verified, verify)
    if run is not None and run.verdict is not None and run.verdict.status is Status.ERROR:
        failed = _unsettled(instance, candidate, findings, run.verdict, "the instrumented run failed", audit_s)
        return replace(failed, messages=_messages(plain))
    if verified and run is not None:
        findings = (*findings, *vacuous_declarations(language, instance, view, run))
    findings = (*findings, *assumed_declarations(plain))
    settled = replace(settled, run=run)
    results = obligation_results(settled)
    return Evidence(
        instance=instance.key,
        instance_hash=instance.content_hash,
        task=instance.task,
        candidate_hash=candidate_hash(candidate),
        status=plain.status,
        verified=verified,
        totals=instance.totals,
        results=results,
        failures=other_failures(settled, verified, results),
        findings=findings,
        messages=_messages(plain),
        tool=plain.tool,
        missing=missing,
        summary=plain.message,
        probes_unsettled=probes_unsettled,
        verifier_calls=1 + (run.calls if run else 0),
        times=_times(audit_s, (plain, run.verdict if run else None)),
    )


def candidate_hash(candidate: str) -> str:
    """SHA-256 of a candidate's text."""
    return hashlib.sha256(candidate.encode("utf-8", "surrogatepass")).hexdigest()


def _failed_additions(language: Language, instance: Instance, view: ProgramView, plain: Verdict) -> frozenset[str]:
    """Names of declarations that the candidate adds and whose own proof fails."""
    given = language.parse(instance.given).by_path
    failed = {o.declaration for o in plain.declarations if o.outcome != "verified"}
    failed |= {d.declaration or "" for d in plain.failures}
    return frozenset(d.name for d in view.declarations if d.path in failed and d.path not in given and d.callable)


def _unsettled(
    instance: Instance,
    candidate: str,
    findings: tuple[Finding, ...],
    verdict: Verdict | None,
    reason: str,
    audit_s: float,
) -> Evidence:
    """Evidence of a candidate of which nothing was proved."""
    results = tuple(ObligationResult(o.id, o.category, False, reason) for o in instance.obligations)
    results += tuple(ObligationResult(p.id, p.category, False, reason, is_probe=True) for p in instance.probes)
    return Evidence(
        instance=instance.key,
        instance_hash=instance.content_hash,
        task=instance.task,
        candidate_hash=candidate_hash(candidate),
        status=verdict.status if verdict else None,
        verified=False,
        totals=instance.totals,
        results=results,
        failures=(),
        findings=findings,
        messages=_messages(verdict) if verdict else (),
        tool=verdict.tool if verdict else None,
        program_fault=bool(verdict and verdict.program_fault),
        summary=verdict.message if verdict else reason,
        verifier_calls=1 if verdict else 0,
        times=_times(audit_s, (verdict,)),
    )


def _messages(verdict: Verdict) -> tuple[Message, ...]:
    """What the agent may see: errors of the plain run, in source order, each once."""
    shown: dict[tuple[object, ...], Message] = {}
    for d in sorted(verdict.diagnostics, key=lambda d: (d.location.line, d.location.column, d.message)):
        if d.severity != "error":
            continue
        message = Message(
            d.category, d.severity, d.location.line, d.location.column, d.message, d.declaration, d.clause, d.kind
        )
        shown.setdefault(d.key() if d.category else (message,), message)
    return tuple(shown.values())


def _times(audit_s: float, verdicts: Iterable[Verdict | None]) -> dict[str, float]:
    real = [v for v in verdicts if v is not None]
    return {
        "audit_s": audit_s,
        "queue_s": sum(v.times.queue_s for v in real),
        "tool_s": sum(v.times.tool_s for v in real),
        "solver_s": sum(v.times.solver_s or 0.0 for v in real),
    }
