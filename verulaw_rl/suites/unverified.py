"""Task forms by syntax alone, for programs whose verifier is not at hand.

What :func:`build_unverified` makes is marked ``unverified``: that the reference verifies, that its obligations can be
discharged and that its probes hold there and not in the given, nobody has seen. Such a suite shows prompts, parsing and
audit; it is never split nor trained on, and is no measure of anything until it is built with the verifier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from verulaw_rl.audit.check import check
from verulaw_rl.evidence.obligations import enumerate_obligations
from verulaw_rl.languages.base import Language, Task
from verulaw_rl.languages.registry import get_language
from verulaw_rl.suites.build import BuildResult, Rejected, SourceProgram, candidate_probes, specification_of
from verulaw_rl.suites.instance import Instance, Suite
from verulaw_rl.suites.journal import Rejection
from verulaw_rl.suites.neighbours import groups
from verulaw_rl.suites.splits import EVALUATION
from verulaw_rl.verification.verdict import ToolIdentity

NOTICE = "unverified: references, obligations and probes are taken from the text alone; build it with the verifier"
"""What is said wherever such instances are used."""


def build_unverified(
    name: str, language_name: str, programs: Sequence[SourceProgram], tasks: Sequence[Task]
) -> BuildResult:
    """Instances of a suite without a verifier.

    Args:
        name: of the suite.
        language_name: of the programs.
        programs: programs that are said to verify.
        tasks: task forms to build of each.
    """
    language = get_language(language_name)
    group_of = groups([(p.name, p.text) for p in programs], language.lexicon)
    instances: list[Instance] = []
    rejected: list[Rejection] = []
    for program in programs:
        for task in tasks:
            try:
                instance = _instance(name, language, program, task)
            except Rejected as why:
                rejected.append(Rejection(program.name, task, why.reason, why.detail))
                continue
            instances.append(replace(instance, group=group_of[program.name], split=EVALUATION))
    return BuildResult(Suite(name, tuple(instances)), tuple(rejected))


def _instance(suite: str, language: Language, program: SourceProgram, task: Task) -> Instance:
    view = language.parse(program.text)
    if view.error:
        raise Rejected("our parser cannot read it", view.error)
    if found := language.escapes(program.text):
        raise Rejected("escape in the program", f"{found[0].construct} on line {found[0].line}")
    repair = task is Task.ANNOTATION_REPAIR
    given = (language.strip_annotations if repair else language.strip_bodies)(program.text)
    if given == program.text:
        raise Rejected("no annotations to repair" if repair else "no bodies to write")
    if not language.targets(view, task):
        raise Rejected("nothing to prove")
    report = check(language.name, task, given, program.text)
    if report.findings:
        raise Rejected("the audit rejects the reference", report.findings[0].message)
    return Instance(
        key=f"{suite}/{program.name}:{task.value}",
        language=language.name,
        task=task,
        suite=suite,
        program=program.name,
        group=program.name,
        split=EVALUATION,
        given=given,
        specification=specification_of(language.parse(given)),
        reference=program.text,
        obligations=enumerate_obligations(language, task, given, program.text),
        probes=candidate_probes(language, program.text, given) if repair else (),
        vacuous=(),
        covered=(),
        tool=ToolIdentity(language.name, "none", ""),
        family=program.family,
        difficulty=program.difficulty,
        unverified=True,
    ).with_hash()
