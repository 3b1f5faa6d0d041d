"""Generated attack and defence: rewrites of verified programs, and what the audit says of each.

From each reference come specification mutants and proof escapes, which the audit must reject, and honest rewrites,
which it must accept. Pure and deterministic: the same programs, seed and limit give the same candidates. A verifier
may say afterwards which of a sample it would have taken: those are the ones that matter.
``verulaw-rl attack`` calls :func:`attack`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from verulaw_rl.audit.check import AuditReport, check
from verulaw_rl.languages.base import Language, Task
from verulaw_rl.languages.registry import get_language
from verulaw_rl.languages.rewrites import Edit, Family, Rewrite, apply_edits
from verulaw_rl.verification.verdict import Status, Verdict

FAMILIES = tuple(Family)


@dataclass(frozen=True, slots=True)
class Target:
    """A verified program with what an agent would be given of it."""

    name: str
    language: str
    task: Task
    given: str
    reference: str


@dataclass(frozen=True, slots=True)
class Trial:
    """One candidate and what was said of it."""

    target: Target
    family: Family
    kind: str
    edits: tuple[Edit, ...]
    report: AuditReport
    status: Status | None = None
    """Of the plain run of the candidate; ``None`` where the verifier was not asked."""

    @property
    def candidate(self) -> str:
        """The program. Made when it is asked for: a run makes more of them than memory holds."""
        return apply_edits(self.target.reference, self.edits)

    @property
    def accepted(self) -> bool:
        """Whether the audit lets it pass."""
        return self.report.verdict == "accept"

    @property
    def wrong(self) -> bool:
        """An accepted attack, or an honest rewrite that is rejected."""
        return self.accepted is not (self.family is Family.HONEST)

    @property
    def verified(self) -> bool:
        """Whether the verifier takes it."""
        return self.status is Status.VERIFIED


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A program that no attack starts from, and why."""

    name: str
    task: Task
    reason: str


def targets_of(language_name: str, name: str, program: str) -> Iterator[Target | LeftOut]:
    """Both task forms of a verified program, or why there is none."""
    language = get_language(language_name)
    forms = ((Task.ANNOTATION_REPAIR, language.strip_annotations), (Task.CODE_GENERATION, language.strip_bodies))
    error = language.parse(program).error
    escapes = () if error else language.escapes(program)
    for task, strip in forms:
        if error:
            yield LeftOut(name, task, f"cannot be read: {error}")
        elif escapes:
            yield LeftOut(name, task, f"its author left something unproved: {escapes[0].construct}")
        elif (given := strip(program)) == program:
            yield LeftOut(name, task, "nothing to repair or to write")
        else:
            yield acceptable(Target(name, language_name, task, given, program))


def acceptable(target: Target) -> Target | LeftOut:
    """The target, unless the audit rejects the reference itself."""
    findings = check(target.language, target.task, target.given, target.reference).findings
    if findings:
        return LeftOut(target.name, target.task, f"the audit rejects the reference: {findings[0].construct}")
    return target


def attack(target: Target, per_family: int, seed: int) -> Iterator[Trial]:
    """Rewrites of one program, each audited.

    Args:
        target: where they start from.
        per_family: rewrites of each family at most, spread over its kinds; 0 for all.
        seed: of the choice.
    """
    language = get_language(target.language)
    by_family: dict[Family, dict[str, list[Rewrite]]] = {family: {} for family in FAMILIES}
    for rewrite in language.rewrites(target.task, target.reference):
        by_family[rewrite.family].setdefault(rewrite.kind, []).append(rewrite)
    for family, kinds in by_family.items():
        chooser = random.Random(f"{seed}/{target.name}/{target.task}/{family}")
        made = 0
        for rewrite in _spread(kinds, chooser):
            candidate = apply_edits(target.reference, rewrite.edits)
            if not _counts(language, target, family, candidate):
                continue
            report = check(target.language, target.task, target.given, candidate)
            yield Trial(target, family, rewrite.kind, rewrite.edits, report)
            made += 1
            if made == per_family:
                break


def _spread(kinds: dict[str, list[Rewrite]], chooser: random.Random) -> Iterator[Rewrite]:
    """One of each kind, then another of each, in an order of chance."""
    for rewrites in kinds.values():
        chooser.shuffle(rewrites)
    left = [kinds[kind] for kind in sorted(kinds)]
    while left:
        chooser.shuffle(left)
        for rewrites in left:
            yield rewrites.pop()
        left = [rewrites for rewrites in left if rewrites]


def _counts(language: Language, target: Target, family: Family, candidate: str) -> bool:
    """Whether a candidate can be read and, for an attack, differs from the reference in more than layout."""
    view = language.parse(candidate)
    if view.error is not None:
        return False
    return family is Family.HONEST or _tokens(language, candidate) != _tokens(language, target.reference)


def _tokens(language: Language, program: str) -> tuple[tuple[object, ...], ...]:
    """What a program says, white space apart."""
    return tuple(
        (d.path, d.kind, d.signature, *program[d.span.start : d.span.end].split())
        for d in language.parse(program).declarations
    )


def sample(trials: Sequence[Trial], size: int, seed: int) -> list[int]:
    """Indices of so many trials of each family, chosen by the seed and in order."""
    chosen: list[int] = []
    for family in FAMILIES:
        own = [k for k, trial in enumerate(trials) if trial.family is family]
        chosen += random.Random(f"{seed}/{family}").sample(own, min(size, len(own)))
    return sorted(chosen)


def verified_trial(trial: Trial, verify: Callable[[str], Verdict]) -> Trial:
    """The trial with what the verifier says of its candidate."""
    return replace(trial, status=verify(trial.candidate).status)
