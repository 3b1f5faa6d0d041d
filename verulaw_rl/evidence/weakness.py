"""Weak specifications: what a trivial program satisfies teaches nothing.

``verulaw-rl validate`` fills the bodies of code-generation instances with default values, with the input returned
unchanged and with nothing, and flags the instances that verify so, and the declarations that do in others.
"""

from __future__ import annotations

from dataclasses import dataclass

from verulaw_rl.evidence.ablation import Verifier
from verulaw_rl.evidence.collect import collect
from verulaw_rl.evidence.evidence import Evidence
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.registry import get_language
from verulaw_rl.suites.instance import Instance


@dataclass(frozen=True, slots=True)
class Weakness:
    """What trivial programs come to."""

    programs: int
    """Trivial programs tried."""
    verified: str | None
    """One that is intact and verifies; ``None`` for none."""
    declarations: tuple[str, ...]
    """Compiled declarations with a postcondition, all of whose obligations hold with some trivial body."""


def weakness_of(instance: Instance, verify: Verifier) -> Weakness:
    """Try the trivial programs of an instance; none for other tasks than code generation.

    Args:
        instance: what they are measured by.
        verify: verifies one program text of the instance's language.
    """
    if instance.task is not Task.CODE_GENERATION:
        return Weakness(0, None, ())
    language = get_language(instance.language)
    programs = language.trivial_programs(instance.given)
    weak: dict[str, None] = {}
    verified = None
    for program in programs:
        evidence = collect(instance, program, verify)
        if verified is None and evidence.verified and evidence.intact:
            verified = program
        weak |= dict.fromkeys(_satisfied(instance, evidence))
    compiled = {d.path for d in language.parse(instance.given).declarations if not d.ghost}
    return Weakness(len(programs), verified, tuple(p for p in weak if p in compiled))


def _satisfied(instance: Instance, evidence: Evidence) -> list[str]:
    """Declarations with a postcondition all of whose obligations hold."""
    held = {r.id for r in evidence.results if r.discharged}
    promising = dict.fromkeys(o.declaration for o in instance.obligations if o.category == "postcondition")
    return [p for p in promising if p and all(o.id in held for o in instance.obligations if o.declaration == p)]
