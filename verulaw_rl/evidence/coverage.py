"""Coverage: whether the tool checked what the instance requires, whatever its last line says.

A declaration to be proved must have a body, be among those that the tool reports, and, where the tool counts, with
at least one obligation for each postcondition: ``{:selective_checking}`` leaves none, ``{:inline}`` and
``{:verify false}`` leave the declaration out altogether. What the tool's own auditor says is believed is a finding.
``collect`` asks both of every candidate that the tool calls verified.
"""

from __future__ import annotations

from verulaw_rl.languages.base import Finding, FindingKind, ProgramView
from verulaw_rl.suites.instance import Instance
from verulaw_rl.verification.verdict import Verdict


def missing_declarations(instance: Instance, view: ProgramView, plain: Verdict) -> tuple[str, ...]:
    """Declarations to be proved without a body, or that the tool did not check with all that they promise."""
    checked: dict[str, list[int | None]] = {}
    for outcome in plain.declarations:
        if outcome.outcome != "skipped":
            checked.setdefault(outcome.declaration, []).append(outcome.obligations)
    required = dict.fromkeys(o.declaration for o in instance.obligations if o.declaration)
    return tuple(p for p in required if not _checked(p, instance, view, checked.get(p, [])))


def _checked(path: str, instance: Instance, view: ProgramView, counts: list[int | None]) -> bool:
    declaration = view.by_path.get(path)
    if declaration is None or declaration.body is None:
        return False
    if path not in instance.covered:
        return True
    if None in counts:  # the tool does not count
        return True
    promised = sum(c.kind == "ensures" for c in declaration.clauses)
    return sum(n or 0 for n in counts) >= max(1, promised)


def assumed_declarations(plain: Verdict) -> tuple[Finding, ...]:
    """What the tool's own auditor says a verified program believes without proof."""
    return tuple(
        Finding(
            FindingKind.PROOF,
            "tool_audit",
            a.declaration or "",
            max(1, a.location.line),
            f"the verifier's own audit of `{a.declaration}`: {a.message}",
            "prove it instead, and remove what makes the verifier believe it",
        )
        for a in plain.assumptions
    )
