"""Do accepted programs hold under other seeds of the solver? A proof that depends on one seed's luck is a weak one.

Every accepted program is verified again, plain and unmodified, once per seed. Verdicts are rows beside the episodes,
written as they come, so that a stopped run goes on. ``verulaw-rl evaluate --verdict-seeds`` and reports call this.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from verulaw_rl.episodes.record import EpisodeRecord
from verulaw_rl.evaluation.run_folder import RunFolder, read_rows
from verulaw_rl.evaluation.statistics import Estimate, mean, rate
from verulaw_rl.evidence.collect import candidate_hash
from verulaw_rl.suites.instance import Instance
from verulaw_rl.verification.verdict import Status, Verdict

FILE = "verdict-seeds.jsonl"
"""In an evaluation's folder."""

VerifySeed = Callable[[str, str, int], Verdict]
"""Verdict on (language, program) under a solver's seed."""


@dataclass(frozen=True, slots=True)
class SeededVerdict:
    """What one seed said of one accepted program."""

    instance: str
    candidate_hash: str
    seed: int
    status: Status


@dataclass(frozen=True, slots=True)
class Stability:
    """How many accepted programs hold under other seeds."""

    seeds: int
    programs: int
    """Accepted, each once."""
    all_hold: Estimate
    """Share of the programs that every seed verifies."""
    verdicts_hold: Estimate
    """Share of the verdicts that are ``verified``."""
    unstable: dict[str, dict[str, int]]
    """Instances with a program that some seed does not verify: how often it said what."""
    errors: int
    """Verdicts that the tool or the machine failed to give; they are in no share."""

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def accepted_programs(records: Iterable[EpisodeRecord]) -> dict[tuple[str, str], str]:
    """Programs that were accepted as handed in, each once: by instance and hash, in order."""
    out: dict[tuple[str, str], str] = {}
    for record in records:
        for turn in record.turns:
            evidence = turn.evidence
            if turn.action == "submit" and turn.program and evidence and evidence.verified and evidence.intact:
                out.setdefault((record.instance, candidate_hash(turn.program)), turn.program)
    return out


def verify_again(
    records: Sequence[EpisodeRecord],
    instances: Mapping[str, Instance],
    verify: VerifySeed,
    seeds: int,
    out: Path,
    *,
    threads: int = 16,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[SeededVerdict]:
    """Verify each accepted program under seeds 1 to ``seeds``; verdicts that ``out`` holds already are kept."""
    programs = accepted_programs(records)
    wanted = [(*key, seed) for key in programs for seed in range(1, seeds + 1)]
    known = {(v.instance, v.candidate_hash, v.seed): v for v in read_verdicts(out) if v.status is not Status.ERROR}
    missing = [key for key in wanted if key not in known]
    out.write_text("".join(_line(v) for v in known.values()), encoding="utf-8")

    def ask(key: tuple[str, str, int]) -> SeededVerdict:
        instance, digest, seed = key
        verdict = verify(instances[instance].language, programs[instance, digest], seed)
        return SeededVerdict(instance, digest, seed, verdict.status)

    with out.open("a", encoding="utf-8") as rows, ThreadPoolExecutor(threads) as pool:
        jobs = [pool.submit(ask, key) for key in missing]
        try:
            for done, job in enumerate(as_completed(jobs), start=1):
                verdict = job.result()
                known[verdict.instance, verdict.candidate_hash, verdict.seed] = verdict
                rows.write(_line(verdict))
                rows.flush()
                progress(len(wanted) - len(missing) + done, len(wanted))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [known[key] for key in wanted]


def read_verdicts(path: Path) -> list[SeededVerdict]:
    """Verdicts of a file, none where it is missing."""
    return [SeededVerdict(**{**row, "status": Status(row["status"])}) for row in read_rows(path)]


def summarise_seeds(verdicts: Sequence[SeededVerdict], instances: Mapping[str, Instance] | None = None) -> Stability:
    """How many programs hold."""
    settled: defaultdict[tuple[str, str], list[Status]] = defaultdict(list)
    for verdict in verdicts:
        if verdict.status is not Status.ERROR:
            settled[verdict.instance, verdict.candidate_hash].append(verdict.status)
    holds = {key: [status is Status.VERIFIED for status in own] for key, own in settled.items()}
    unstable: dict[str, dict[str, int]] = {}
    for (instance, _), own in settled.items():
        if any(status is not Status.VERIFIED for status in own):
            counts = unstable.setdefault(instance, {})
            for status in own:
                counts[status.value] = counts.get(status.value, 0) + 1
    known = instances or {}
    program = {i: f"{known[i].suite}/{known[i].program}" if i in known else i for i, _ in holds}
    of_programs: defaultdict[str, list[bool]] = defaultdict(list)
    of_verdicts: defaultdict[str, list[float]] = defaultdict(list)
    for (instance, _), own_holds in holds.items():
        of_programs[program[instance]].append(all(own_holds))
        of_verdicts[program[instance]] += [float(h) for h in own_holds]
    return Stability(
        seeds=len({v.seed for v in verdicts}),
        programs=len(holds),
        all_hold=rate(of_programs),
        verdicts_hold=mean(of_verdicts),
        unstable=unstable,
        errors=sum(v.status is Status.ERROR for v in verdicts),
    )


def stability_of(run: RunFolder) -> Stability | None:
    """What an evaluation's folder says of other seeds, ``None`` where none was tried."""
    verdicts = read_verdicts(run.path / FILE)
    return summarise_seeds(verdicts, run.instances) if verdicts else None


def _line(verdict: SeededVerdict) -> str:
    return json.dumps(asdict(verdict)) + "\n"
