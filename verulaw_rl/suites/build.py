"""Make instances from verified programs, and say why the others are left out.

A program becomes an instance of a task when its reference verifies under the installed tool, something
is there to repair or to write, no escape is left in it, and the reference scores full marks by the very
function that scores candidates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from verulaw_rl.errors import UserError
from verulaw_rl.evidence.ablation import Verifier, run_ablated
from verulaw_rl.evidence.checks import EXIT, SiteResult, probe_checks, probe_id, vacuity_check, vacuity_id, with_vacuity
from verulaw_rl.evidence.collect import collect
from verulaw_rl.evidence.obligations import enumerate_obligations
from verulaw_rl.languages.base import FALSE, Category, Check, Language, Point, ProgramView, Task
from verulaw_rl.languages.registry import get_language
from verulaw_rl.suites.instance import Instance, Probe, Suite, VacuousPoint
from verulaw_rl.suites.journal import Built, Journal, Rejection
from verulaw_rl.suites.neighbours import groups
from verulaw_rl.suites.splits import EVALUATION, assign_splits, assign_splits_by_repository
from verulaw_rl.verification.verdict import Status, Verdict


@dataclass(frozen=True, slots=True)
class SourceProgram:
    """A program to build from."""

    name: str
    text: str
    family: str = ""
    difficulty: int = 0
    given: str = ""
    """Stripped form for annotation repair that its benchmark publishes; ours where it is empty."""


@dataclass(frozen=True, slots=True)
class BuildResult:
    """What a build gave."""

    suite: Suite
    rejected: tuple[Rejection, ...]

    def counts(self) -> dict[str, int]:
        """Instances per task, and rejections per task and reason."""
        out = Counter(str(i.task.value) for i in self.suite.instances)
        out.update(f"{r.task.value}: {r.reason}" for r in self.rejected)
        return dict(out)


MACHINE_FAILURES = (f"reference: {Status.ERROR}", "the verifier failed on the given")
"""Reasons that may not hold the next time."""


class Rejected(Exception):
    """A program that gives no instance of a task: a short reason and what was seen."""

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason, self.detail = reason, detail


def read_programs(folder: Path, suffix: str) -> tuple[list[SourceProgram], list[tuple[str, str]]]:
    """Programs below a folder, by relative name, and those that could not be read with the reason.

    Raises:
        UserError: the folder is missing or holds no program of that suffix.
    """
    if not folder.is_dir():
        raise UserError(f"{folder} is no folder; give one that holds verified {suffix} programs")
    files = sorted(folder.rglob(f"*{suffix}"))
    if not files:
        raise UserError(f"{folder} holds no {suffix} file")
    programs, unreadable = [], []
    for file in files:
        name = file.relative_to(folder).with_suffix("").as_posix()
        try:
            programs.append(SourceProgram(name, file.read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError) as error:
            unreadable.append((name, " ".join(str(error).split())))
    return programs, unreadable


def build_suite(
    name: str,
    language_name: str,
    programs: Sequence[SourceProgram],
    tasks: Sequence[Task],
    verify: Verifier,
    *,
    heldout_share: float = 0.3,
    seed: int = 0,
    threads: int = 4,
    progress: Callable[[int, int], None] = lambda done, total: None,
    journal: Journal | None = None,
    evaluation_only: bool = False,
    by_repository: bool = False,
) -> BuildResult:
    """Build the instances of a suite.

    Args:
        name: of the suite.
        language_name: of the programs.
        programs: verified programs.
        tasks: task forms to build of each.
        verify: verifies one program text.
        heldout_share: share of the instances to hold out, whole near-duplicate groups together.
        seed: of the split.
        threads: programs worked on at once; the verifier's own workers bound the real parallelism.
        progress: called with programs done and their total.
        journal: programs that an earlier attempt finished; told of those finished now.
        evaluation_only: do not split the suite; nothing of it may be trained on.
        by_repository: split by the programs' family, the largest divided, rather than by near-duplicates alone.
    """
    group_of = groups([(p.name, p.text) for p in programs], get_language(language_name).lexicon)
    instances: list[Instance] = []
    rejected: list[Rejection] = []

    def build(program: SourceProgram) -> Built:
        if journal is not None and (known := journal.get(program.name, program.text + program.given)) is not None:
            return known
        built = _build_program(name, language_name, program, tasks, verify)
        if journal is not None and not any(r.reason in MACHINE_FAILURES for r in built[1]):
            journal.add(program.name, program.text + program.given, built)
        return built

    with ThreadPoolExecutor(threads) as pool:
        jobs = [pool.submit(build, p) for p in programs]
        try:
            for done, (program, job) in enumerate(zip(programs, jobs, strict=True), start=1):
                built, left_out = job.result()
                instances += [replace(i, group=group_of[program.name]) for i in built]
                rejected += left_out
                progress(done, len(programs))
        except BaseException:
            for job in jobs:
                job.cancel()
            raise
    if evaluation_only:
        split = tuple(replace(i, split=EVALUATION) for i in instances)
    else:
        assign = assign_splits_by_repository if by_repository else assign_splits
        split = assign(instances, heldout_share, seed)
    return BuildResult(Suite(name, split), tuple(rejected))


def _build_program(
    suite: str, language_name: str, program: SourceProgram, tasks: Sequence[Task], verify: Verifier
) -> Built:
    language = get_language(language_name)
    try:
        plain = _verified_reference(language, program.text, verify)
    except Rejected as why:
        return [], [Rejection(program.name, task, why.reason, why.detail) for task in tasks]
    built, rejected = [], []
    for task in tasks:
        try:
            built.append(build_instance(suite, language, program, task, plain, verify))
        except Rejected as why:
            rejected.append(Rejection(program.name, task, why.reason, why.detail))
    return built, rejected


def _verified_reference(language: Language, text: str, verify: Verifier) -> Verdict:
    if not text.strip():
        raise Rejected("empty file")
    plain = verify(text)
    if plain.status is not Status.VERIFIED:
        first = _first_error(plain)
        nothing = plain.status is Status.INVALID and not first
        raise Rejected("nothing to prove" if nothing else f"reference: {plain.status.value}", first or plain.message)
    view = language.parse(text)
    if view.error:
        raise Rejected("our parser cannot read it", view.error)
    escapes = language.escapes(text)
    if escapes:
        raise Rejected("escape in the program", f"{escapes[0].construct} on line {escapes[0].line}")
    return plain


def _first_error(verdict: Verdict) -> str:
    return next((d.message for d in verdict.diagnostics if d.severity == "error"), "")


def build_instance(
    suite: str, language: Language, program: SourceProgram, task: Task, plain: Verdict, verify: Verifier
) -> Instance:
    """One instance of a task from a verified program; raises :class:`Rejected` with the reason if there is none."""
    repair = task is Task.ANNOTATION_REPAIR
    given = (language.strip_annotations if repair else language.strip_bodies)(program.text)
    if repair and program.given:
        given = program.given
    view = language.parse(program.text)
    if given == program.text:
        raise Rejected("no annotations to repair" if repair else "no bodies to write")
    targets = language.targets(view, task)
    if not targets:
        raise Rejected("nothing to prove")
    stripped = verify(given)
    if stripped.status is Status.INVALID and (first := _first_error(stripped)):
        raise Rejected("the given is invalid", first)
    if repair and stripped.status is Status.VERIFIED:
        raise Rejected("the given already verifies")
    if stripped.status is Status.ERROR:
        raise Rejected("the verifier failed on the given", stripped.message)

    safety = len([d for d in stripped.failures if d.category is Category.SAFETY])
    exits = [vacuity_check(d.path, EXIT) for d in targets if d.body is not None]
    candidates = candidate_probes(language, program.text, given) if repair else ()
    sites = _reference_sites(language, view, exits, [probe_checks(p) for p in candidates], verify)
    checks = with_vacuity([*exits, *(c for p in candidates for c in probe_checks(p))])
    vacuous = _vacuous_points(checks, sites)
    probes = _surviving(language, candidates, sites, given, stripped, verify) if candidates else ()
    with_contract = {d.path for d in view.declarations if any(c.kind == "ensures" for c in d.clauses)}
    covered = {o.declaration for o in plain.declarations if o.obligations != 0} & with_contract
    instance = Instance(
        key=f"{suite}/{program.name}:{task.value}",
        language=language.name,
        task=task,
        suite=suite,
        program=program.name,
        group=program.name,
        split="train",
        given=given,
        specification=specification_of(language.parse(given)),
        reference=program.text,
        obligations=enumerate_obligations(language, task, given, program.text, safety),
        probes=probes,
        vacuous=vacuous,
        covered=tuple(d.path for d in targets if d.path in covered),
        tool=plain.tool,
        family=program.family,
        difficulty=program.difficulty,
    ).with_hash()
    _require_full_marks(instance, verify)
    return instance


def candidate_probes(language: Language, reference: str, given: str) -> tuple[Probe, ...]:
    """Facts of the reference proof that the given lost, before anything is known of which hold."""
    facts = language.probes(reference, given)
    return tuple(Probe(f"probe:{k}", f.category, f.declaration, f.points, f.expression) for k, f in enumerate(facts))


Sites = dict[str, list[SiteResult]]
"""What runs said of each site, by the check's id."""


def _reference_sites(
    language: Language, view: ProgramView, exits: list[Check], of_probes: list[list[Check]], verify: Verifier
) -> Sites:
    """What the tool says of all checks in the reference.

    One run. Where the tool runs out on all of them together, the exits are asked alone, and then each half of the
    probes: those that a run on half of them does not settle could never be settled beside a candidate's own proof.

    Raises:
        Rejected: a declaration is not decided even with nothing but its exits asked: no candidate could be scored.
    """

    def ask(own: list[Check], probes: list[list[Check]]) -> Sites:
        checks = with_vacuity([*own, *(c for checks in probes for c in checks)])
        return run_ablated(language, view, checks, set(), verify).sites

    sites = ask(exits, of_probes)
    if all(site.proved is not None for one in sites.values() for site in one):
        return sites
    if of_probes and exits:
        sites |= ask(exits, [])
    undecided = next((c for c in exits if any(site.proved is None for site in sites.get(c.id, ()))), None)
    if undecided is not None:
        raise Rejected("reference: timeout with checks in it", undecided.declaration)
    middle = (len(of_probes) + 1) // 2
    for half in (of_probes[:middle], of_probes[middle:]):
        if half:
            sites |= ask([], half)
    return sites


def _vacuous_points(checks: Sequence[Check], sites: Sites) -> tuple[VacuousPoint, ...]:
    out = []
    for check in checks:
        if check.expression != FALSE:
            continue
        for number, site in enumerate(sites.get(check.id, ())):
            if site.proved:
                index = number if check.point.kind == "exit" else check.point.index
                out.append(VacuousPoint(check.declaration, Point(check.point.kind, index)))
    return tuple(out)


def _surviving(
    language: Language, probes: Sequence[Probe], on_reference: Sites, given: str, stripped: Verdict, verify: Verifier
) -> tuple[Probe, ...]:
    """Probes that hold in the reference and that the given does not already prove.

    Args:
        language: of the programs.
        probes: candidates.
        on_reference: what runs said of them in the reference.
        given: the stripped program.
        stripped: what the tool said of it as it is.
        verify: verifies one program text.
    """
    checks = with_vacuity([c for p in probes for c in probe_checks(p)])
    if stripped.status is Status.TIMEOUT and not any(o.outcome in _DECIDED for o in stripped.declarations):
        # With checks in it, it would not be decided either.
        placed = language.instrument(given, checks).sites
        on_given: Sites = {s.check: [SiteResult(None, s.after_loops)] for s in placed}
    else:
        on_given = run_ablated(language, language.parse(given), checks, set(), verify).sites
    out = []
    for probe in probes:
        points = {
            k: point
            for k, point in enumerate(probe.points)
            if _proved(on_reference, probe_id(probe.id, k)) and on_given.get(probe_id(probe.id, k))
        }
        already = all(_proved_soundly(on_given, probe, k, point) for k, point in points.items())
        if points and not already:
            out.append(replace(probe, points=tuple(points.values())))
    return tuple(replace(p, id=f"probe:{k}") for k, p in enumerate(out))


_DECIDED = ("verified", "failed")


def _proved(sites: Sites, check: str) -> bool:
    at = sites.get(check, [])
    return bool(at) and all(site.proved for site in at)


def _proved_soundly(sites: Sites, probe: Probe, number: int, point: Point) -> bool:
    """Proved, and not merely because everything is proved there."""
    vacuous = sites.get(vacuity_id(probe.declaration, point), [])
    return _proved(sites, probe_id(probe.id, number)) and not any(site.proved for site in vacuous)


def specification_of(given: ProgramView) -> tuple[tuple[str, str], ...]:
    """Canonical contract of each declaration: path, signature and clauses."""
    return tuple(
        (d.path, " ; ".join([d.signature, *sorted(f"{c.kind} {c.canonical}" for c in d.clauses)]))
        for d in given.declarations
    )


def _require_full_marks(instance: Instance, verify: Verifier) -> None:
    """The reference, scored as a candidate, discharges everything and verifies."""
    evidence = collect(instance, instance.reference, verify)
    if not evidence.intact:
        raise Rejected("the audit rejects the reference", evidence.findings[0].message)
    if not evidence.verified:
        raise Rejected("the reference does not verify twice", evidence.summary)
    missing = next((r for r in evidence.results if not r.discharged), None)
    if missing is not None or evidence.failures:
        raise Rejected("the reference misses an obligation", f"{missing.id}: {missing.reason}" if missing else "")
