"""The integrity audit of one candidate: it comes before the verifier and outranks it.

The comparison itself is the language's (``Language.audit``), on parsed clauses and declarations; this
module turns its findings into a report that the episode shows, the reward reads and
``verulaw-rl audit`` prints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from verulaw_rl.languages.base import Finding, FindingKind, Task
from verulaw_rl.languages.registry import get_language

AuditVerdict = Literal["accept", "reject_spec", "reject_proof"]


@dataclass(frozen=True, slots=True)
class AuditReport:
    """Findings of the audit for one candidate."""

    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> AuditVerdict:
        """``reject_proof`` outranks ``reject_spec``, as its penalty is the larger one."""
        kinds = {f.kind for f in self.findings}
        if FindingKind.PROOF in kinds:
            return "reject_proof"
        return "reject_spec" if kinds else "accept"


def check(language: str, task: Task, given: str, candidate: str) -> AuditReport:
    """Audit a candidate against the given of its instance. Never raises on any text.

    Args:
        language: name of the language.
        task: what the agent was asked to do.
        given: the instance's given text.
        candidate: the whole program handed in.
    """
    return AuditReport(get_language(language).audit(task, given, candidate))
