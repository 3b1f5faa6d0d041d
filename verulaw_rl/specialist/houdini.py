"""A specialist without a model: candidate annotations from templates, of which the survivors stay.

As in Houdini (Flanagan and Leino, 2001): add every candidate invariant, verify, drop those that fail, and again, until
none does: what stays is the largest inductive subset of the candidates. The program's own annotations take part
and are dropped like the others. It is the embedded default and, as ``scripted:houdini``, a baseline for annotation
repair. What candidates there are is the language's (``proposals``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from verulaw_rl.evidence.ablation import annotation_at, droppable
from verulaw_rl.languages.base import Annotation, Language, ProgramView
from verulaw_rl.languages.candidates import with_candidates
from verulaw_rl.languages.registry import get_language
from verulaw_rl.specialist.assist import Verify
from verulaw_rl.suites.instance import Instance
from verulaw_rl.verification.verdict import Status, Verdict


@dataclass(frozen=True)
class Houdini:
    """The specialist."""

    name: ClassVar[str] = "houdini"
    version: ClassVar[str] = "2"
    max_calls: int = 12
    timeout_s: float = 600.0

    def complete(self, instance: Instance, candidate: str, verify: Verify | None) -> str | None:
        """The program with the surviving candidates (see :class:`~verulaw_rl.specialist.assist.Specialist`)."""
        return None if verify is None else surviving(get_language(instance.language), candidate, verify, self.max_calls)


def surviving(language: Language, program: str, verify: Verify, max_calls: int) -> str | None:
    """The program with the candidates that the verifier does not refute.

    Args:
        language: of the program.
        program: with or without annotations of its own.
        verify: the verifier.
        max_calls: of it, at most.

    Returns:
        ``None`` where there are no candidates, or the verifier had no end to them within ``max_calls``.
    """
    text = with_candidates(language, program)
    if text is None:
        return None
    for _ in range(max_calls):
        verdict = verify(text)
        if verdict.status in (Status.VERIFIED, Status.ERROR):
            return text if verdict.status is Status.VERIFIED else None
        view = language.parse(text)
        if view.error is not None:
            return None
        refuted = _refuted(view, verdict)
        if not refuted:
            return text
        text = language.instrument(text, (), tuple(sorted((a.span for a in refuted), key=lambda s: s.start))).text
    return None


def _refuted(view: ProgramView, verdict: Verdict) -> list[Annotation]:
    """Annotations that fail, or do not resolve; where the solver ran out, quantified ones, which cost it most."""
    errors = [d for d in verdict.diagnostics if d.severity == "error"]
    found = {a.span: a for d in errors if (a := annotation_at(view, d)) is not None and droppable(a)}
    if not found and verdict.status is Status.TIMEOUT:
        slow = {o.declaration for o in verdict.declarations if o.outcome in ("timeout", "inconclusive")}
        slow |= {d.declaration for d in errors if d.declaration}
        quantified = [a for a in view.annotations if a.declaration in slow and "forall" in a.text and droppable(a)]
        found = {a.span: a for a in quantified}
    return list(found.values())
