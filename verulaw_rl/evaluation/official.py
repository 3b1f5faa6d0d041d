"""DafnyBench's published scoring rule, for a figure that can be put beside published ones.

The rule, as its scorer applies it to a model's program (sun-wendy/DafnyBench, ``eval/utils.py``): a helper function is
appended; Dafny's legacy command line runs with ``/compile:0 /deprecation:0`` for 15 s of wall time; the program is
accepted if the output says ``verified, 0 errors``, if its lines that contain ``requires`` or ``ensures`` are those of
the given program in the same order, white space and comment lines aside, and if it contains neither
``{:verify false}`` nor ``assume false``. So it passes other escapes and changed code, and fails an honest program
that adds a lemma with a contract or has an ``abs`` of its own. An episode counts if any of its submissions passes.

Under Dafny 2.3 the solver is named on the command line, as everywhere here; nothing else is added.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from verulaw_rl.episodes.record import EpisodeRecord
from verulaw_rl.errors import UserError
from verulaw_rl.evaluation.outcome import outcome_of
from verulaw_rl.evaluation.run_folder import RunFolder, read_rows
from verulaw_rl.evaluation.statistics import Estimate, rate
from verulaw_rl.evidence.collect import candidate_hash
from verulaw_rl.languages.base import Task
from verulaw_rl.suites.instance import Instance
from verulaw_rl.verification.dafny.command import environment_for, policy_for
from verulaw_rl.verification.dafny.find import DafnyTool
from verulaw_rl.verification.sandbox import Sandbox
from verulaw_rl.verification.verdict import Limits

FILE = "official.jsonl"
"""In an evaluation's folder."""
TIMEOUT_S = 15.0
"""Wall time, as published: on a loaded machine it fails programs that an idle one accepts."""
HELPER = "\nfunction abs(a: real) : real {if a>0.0 then a else -a}\n"
"""What the scorer appends to every program."""
FORBIDDEN = ("{:verify false}", "assume false")
_CLAUSES = ("requires", "ensures")

ACCEPTED = "accepted"
SPECIFICATION = "its requires and ensures lines are not those of the given"
ESCAPE = "it contains {:verify false} or assume false"
TIMEOUT = "no verdict within 15 s"
FAILED = "the output does not say `verified, 0 errors`"


@dataclass(frozen=True, slots=True)
class OfficialVerdict:
    """What the rule says of one submitted program."""

    instance: str
    candidate_hash: str
    said: str
    """:data:`ACCEPTED`, or the first reason against it."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An episode on which the two scores differ."""

    instance: str
    sample: int
    official: bool
    why: str
    """What the stricter side has against it."""


LABEL = "accepted by DafnyBench's published rule"


@dataclass(frozen=True, slots=True)
class SideBySide:
    """The official score and ours over the same scorable episodes."""

    official: Estimate
    strict: Estimate
    differ: tuple[Disagreement, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def specification_lines(program: str) -> list[str]:
    """Lines that the rule compares: those with ``requires`` or ``ensures``, without spaces.

    Comments are left out as the scorer sees them: a line that begins with ``/*`` opens or closes one, and so does one
    that ends with ``*/``.
    """
    out = []
    inside = False
    for line in program.split("\n"):
        text = line.strip()
        if text.startswith("/*"):
            inside = not inside
        if any(word in line for word in _CLAUSES) and not inside and not text.startswith("//"):
            out.append(text.replace(" ", ""))
        if text.endswith("*/"):
            inside = not inside
    return out


def judge(given: str, program: str, output: str | None) -> str:
    """:data:`ACCEPTED`, or why the rule rejects a program; ``output`` is ``None`` where the time ran out."""
    if output is None:
        return TIMEOUT
    if "verified, 0 errors" not in output or "File contains no code" in output:
        return FAILED
    if specification_lines(given) != specification_lines(program):
        return SPECIFICATION
    return ESCAPE if any(text in program for text in FORBIDDEN) else ACCEPTED


def legacy_runner(tool: DafnyTool, sandbox: Sandbox, wall_s: float = TIMEOUT_S) -> Callable[[str], str | None]:
    """Runs a program as the scorer does: its standard output, or ``None`` after ``wall_s`` seconds of wall time."""
    solver = [f"/z3exe:{tool.solver}"] if tool.dialect == "2" and tool.solver else []

    def run(program: str) -> str | None:
        name = "candidate.dfy"
        files = {name: (program + HELPER).encode("utf-8", "surrogatepass")}
        policy = policy_for(tool, Limits().memory_bytes, files=files)
        command = [*tool.command, "/compile:0", "/deprecation:0", *solver, name]
        done = sandbox.start(command, policy, environment_for(tool)).finish(b"", wall_s)
        return None if done.stopped == "wall" else done.output

    return run


def score_official(
    records: Sequence[EpisodeRecord],
    instances: Mapping[str, Instance],
    run: Callable[[str], str | None],
    out: Path,
    *,
    threads: int = 2,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[OfficialVerdict]:
    """Judge every program that was submitted, each once; verdicts that ``out`` holds already are kept.

    Raises:
        UserError: an instance is no Dafny annotation repair, which is what the rule is for.
    """
    other = next((i for i in instances.values() if (i.language, i.task.value) != ("dafny", "annotation_repair")), None)
    if other is not None:
        raise UserError(
            f"DafnyBench's rule is for dafny annotation_repair; {other.key} is {other.language} {other.task}"
        )
    programs = {(r.instance, candidate_hash(program)): program for r in records for program in _submitted(r)}
    known = {(v.instance, v.candidate_hash): v for v in read_official(out)}
    missing = [key for key in programs if key not in known]

    def ask(key: tuple[str, str]) -> OfficialVerdict:
        program = programs[key]
        return OfficialVerdict(*key, judge(instances[key[0]].given, program, run(program)))

    with out.open("a", encoding="utf-8") as rows, ThreadPoolExecutor(threads) as pool:
        jobs = [pool.submit(ask, key) for key in missing]
        try:
            for done, job in enumerate(as_completed(jobs), start=1):
                verdict = job.result()
                known[verdict.instance, verdict.candidate_hash] = verdict
                rows.write(json.dumps(asdict(verdict)) + "\n")
                rows.flush()
                progress(len(programs) - len(missing) + done, len(programs))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [known[key] for key in programs]


def require_dafny_repair(instances: Iterable[Instance]) -> None:
    """Refuse instances that the rule is not for.

    Raises:
        UserError: an instance is no Dafny annotation repair.
    """
    for instance in instances:
        if (instance.language, instance.task) != ("dafny", Task.ANNOTATION_REPAIR):
            what = f"{instance.language} {instance.task}"
            raise UserError(f"DafnyBench's rule is for dafny annotation_repair; {instance.key} is {what}")


def read_official(path: Path) -> list[OfficialVerdict]:
    """Verdicts of a file, none where it is missing."""
    return [OfficialVerdict(**row) for row in read_rows(path)]


def side_by_side(
    records: Sequence[EpisodeRecord], verdicts: Sequence[OfficialVerdict], instances: Mapping[str, Instance]
) -> SideBySide:
    """Both scores of each scorable episode, and where they differ."""
    said = {(v.instance, v.candidate_hash): v.said for v in verdicts}
    official: dict[str, list[bool]] = {}
    strict: dict[str, list[bool]] = {}
    differ = []
    for record in records:
        outcome = outcome_of(record, instances)
        if outcome.unscorable:
            continue
        reasons = [said.get((record.instance, candidate_hash(p)), "") for p in _submitted(record)]
        accepted = ACCEPTED in reasons
        official.setdefault(outcome.program, []).append(accepted)
        strict.setdefault(outcome.program, []).append(outcome.direct)
        if accepted != outcome.direct:
            why = _strict_reason(record) if accepted else "; ".join(dict.fromkeys(reasons))
            differ.append(Disagreement(record.instance, int(record.sampling.get("sample", 0)), accepted, why))
    return SideBySide(rate(official), rate(strict), tuple(differ))


def side_by_side_of(run: RunFolder) -> SideBySide | None:
    """Both scores of an evaluation's folder, ``None`` where the rule was not applied."""
    return side_by_side_in(run.path, run.evaluations.get("evaluation", ()), run.instances)


def side_by_side_in(
    folder: Path, records: Sequence[EpisodeRecord], instances: Mapping[str, Instance]
) -> SideBySide | None:
    """Both scores of the episodes of a folder, ``None`` where the rule was not applied there."""
    verdicts = read_official(folder / FILE)
    return side_by_side(records, verdicts, instances) if verdicts else None


def _submitted(record: EpisodeRecord) -> Iterator[str]:
    return (turn.program for turn in record.turns if turn.action == "submit" and turn.program)


def _strict_reason(record: EpisodeRecord) -> str:
    """What our score has against the last submission of an episode."""
    evidence = next((t.evidence for t in reversed(record.turns) if t.action == "submit" and t.evidence), None)
    if evidence is None:
        return "nothing was submitted"
    if evidence.findings:
        return evidence.findings[0].message
    missing = f"not checked: {', '.join(evidence.missing)}" if evidence.missing else ""
    return missing or evidence.summary or (evidence.status.value if evidence.status else "not verified")
