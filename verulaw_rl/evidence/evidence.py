"""Everything known of one candidate, as plain data: what rewards are computed from.

``collect`` makes it from a live verifier; records keep it, so that old episodes can be scored again
under other weights without a verifier.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import TypeAdapter

from verulaw_rl.languages.base import Category, Finding, FindingKind, Task
from verulaw_rl.verification.verdict import Status, ToolIdentity

_NONE = dict.fromkeys(Category, 0)


@dataclass(frozen=True, slots=True)
class ObligationResult:
    """Whether one obligation of the instance was shown to hold, and why not."""

    id: str
    category: Category
    discharged: bool
    reason: str = ""
    is_probe: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """A failing diagnostic of the candidate that is no obligation of the instance, e.g. its own invariant's."""

    category: Category
    declaration: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the verifier on the candidate, as the agent may see it (probes never appear here)."""

    category: Category | None
    severity: str
    line: int
    column: int
    message: str
    declaration: str | None = None
    clause: str | None = None
    kind: str = ""
    """Finer than the category, as the tool's adapter names it: ``invariant_maintained``, ``index``, ..."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything known of one candidate."""

    instance: str
    instance_hash: str
    task: Task
    candidate_hash: str
    status: Status | None
    """Of the plain run of the unmodified candidate; ``None`` when the audit made it pointless and it was not run."""
    verified: bool
    """Status ``verified`` and every declaration of the instance was checked with its obligations."""
    totals: dict[Category, int]
    results: tuple[ObligationResult, ...]
    failures: tuple[Failure, ...]
    findings: tuple[Finding, ...]
    """Of the audit and, for a verified candidate, of the vacuity check."""
    messages: tuple[Message, ...]
    tool: ToolIdentity | None
    program_fault: bool = False
    """With status ``error``: the program crashes a fresh worker on which a known good program verifies."""
    probes_unsettled: bool = False
    """The tool failed on the probes and not on the rest: the trainer cannot score it, and the agent must not notice."""
    missing: tuple[str, ...] = ()
    """Declarations to be proved that the tool did not check."""
    tests_passed: int | None = None
    tests_total: int | None = None
    summary: str = ""
    verifier_calls: int = 0
    times: dict[str, float] = field(default_factory=dict, compare=False)
    """Seconds by part: ``queue_s``, ``tool_s``, ``solver_s`` (CPU, where the worker tells it), ``audit_s``."""

    @property
    def specification_changed(self) -> bool:
        """Whether the specification (or frozen code) differs from the instance's."""
        return any(f.kind is FindingKind.SPECIFICATION for f in self.findings)

    @property
    def proof_escaped(self) -> bool:
        """Whether a proof was assumed rather than given."""
        return any(f.kind is FindingKind.PROOF for f in self.findings)

    @property
    def intact(self) -> bool:
        """No finding of either kind."""
        return not self.findings

    @property
    def probes_total(self) -> int:
        """Number of the instance's probes."""
        return sum(r.is_probe for r in self.results)

    @property
    def probes_passed(self) -> int:
        """Probes shown to hold in the candidate."""
        return sum(r.is_probe and r.discharged for r in self.results)

    def without_probes(self) -> Evidence:
        """The same evidence as if the instance had no probes."""
        probes = Counter(r.category for r in self.results if r.is_probe)
        totals = {c: n - probes[c] for c, n in self.totals.items()}
        results = tuple(r for r in self.results if not r.is_probe)
        return replace(self, totals=totals, results=results, probes_unsettled=False)

    def undischarged_by_category(self) -> dict[Category, int]:
        """Obligations of each category not shown to hold, plus the candidate's other failures of it.

        A failure in a category that the instance does not exercise counts in ``safety`` (reward, property 2). One pass
        over the results: rewards are computed for many thousand submissions at once.
        """
        counts = _NONE.copy()
        for result in self.results:
            if not result.discharged:
                counts[result.category] += 1
        for failure in self.failures:
            counts[failure.category if self.totals.get(failure.category) else Category.SAFETY] += 1
        return counts

    def discharged_by_category(self) -> dict[Category, int]:
        """``max(0, N[c] - undischarged[c])`` of every category."""
        return {c: max(0, self.totals.get(c, 0) - n) for c, n in self.undischarged_by_category().items()}

    def undischarged(self, category: Category) -> int:
        """:meth:`undischarged_by_category` of one category."""
        return self.undischarged_by_category()[category]

    def discharged(self, category: Category) -> int:
        """:meth:`discharged_by_category` of one category."""
        return self.discharged_by_category()[category]


EVIDENCE: TypeAdapter[Evidence] = TypeAdapter(Evidence)
"""Reads and writes evidence as plain data."""


def evidence_to_row(evidence: Evidence) -> dict[str, Any]:
    """Plain JSON data of the evidence."""
    row: dict[str, Any] = EVIDENCE.dump_python(evidence, mode="json")
    return row
