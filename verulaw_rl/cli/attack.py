"""``verulaw-rl attack``: generated cheats and honest rewrites of a suite's references, against the audit."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from verulaw_rl.audit.attack import LeftOut, Target, Trial, acceptable, attack, sample, targets_of, verified_trial
from verulaw_rl.cli.options import SolverSeconds
from verulaw_rl.cli.progress import progress_bar
from verulaw_rl.errors import UserError
from verulaw_rl.evidence.live import pool_verifier
from verulaw_rl.languages.registry import get_language
from verulaw_rl.languages.rewrites import Family
from verulaw_rl.suites.bundled import suite_named
from verulaw_rl.suites.sources import BENCHMARKS, suite_programs
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.verdict import Limits

EXIT_WRONG = 1


def attack_command(
    source: Annotated[
        str | None, typer.Argument(metavar="SUITE", help="File that `build` wrote, `seed`, or a folder of programs.")
    ] = None,
    suite: Annotated[
        str | None, typer.Option(help="A benchmark instead: dafnybench, humaneval-nagini, humaneval-verus, ...")
    ] = None,
    root: Annotated[Path | None, typer.Option(help="Folder that the benchmark was downloaded to.")] = None,
    language: Annotated[str | None, typer.Option(help="Language of a folder's programs; dafny when absent.")] = None,
    per_family: Annotated[
        int, typer.Option(min=0, help="Rewrites of each family from each program and task; 0 for all.")
    ] = 10,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many programs.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of what is chosen.")] = 0,
    verify: Annotated[int, typer.Option(min=0, help="Verify so many of each family, chosen by the seed.")] = 0,
    verify_all: Annotated[bool, typer.Option("--verify-all", help="Verify every one.")] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Verifier workers; cores when absent.")] = None,
    solver_s: SolverSeconds = 10.0,
    out: Annotated[Path, typer.Option(help="Folder for what comes out wrong, one case each.")] = Path("attack"),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Attack the audit: from each reference make specification mutants, proof escapes and honest rewrites.

    The audit must reject the first two and accept the last. Exits with 1 if it does not; each such case is written to
    `--out`, as `audit --cases` reads it. With `--verify`, counts what the verifier takes: cheats that only the audit
    stops, and honest rewrites that still prove.

    Example: verulaw-rl attack --suite dafnybench --root path/to/dafnybench --verify 300
    """
    named = language or (BENCHMARKS[suite].language if suite in BENCHMARKS else "dafny")
    targets, left_out = _targets(source, suite, root, named, limit)
    if not targets:
        raise UserError(f"nothing to attack: {left_out[0].reason}" if left_out else "nothing to attack")
    trials: list[Trial] = []
    with progress_bar("Attacking", quiet=as_json) as progress:
        for done, target in enumerate(targets, start=1):
            trials += attack(target, per_family, seed)
            progress(done, len(targets))
    if verify or verify_all:
        _verify(trials, len(trials) if verify_all else verify, seed, workers, Limits.of_work(solver_s), as_json)
    wrong = [t for t in trials if t.wrong]
    for number, trial in enumerate(wrong):
        _write(out, number, trial)
    if as_json:
        typer.echo(json.dumps(_summary(targets, left_out, trials, seed)))
    else:
        _show(targets, left_out, trials, out)
    raise typer.Exit(EXIT_WRONG if wrong else 0)


def _targets(
    source: str | None, suite: str | None, root: Path | None, language: str, limit: int | None
) -> tuple[list[Target], list[LeftOut]]:
    """What is attacked: instances of a built suite, or both task forms of each program."""
    if (source is None) == (suite is None):
        raise UserError("name either SUITE or --suite")
    found: list[Target | LeftOut] = []
    if source is not None and not Path(source).is_dir():
        instances = suite_named(source).instances[:limit]
        found += [acceptable(Target(i.key, i.language, i.task, i.given, i.reference)) for i in instances]
    else:
        folder = Path(source) if source is not None else None
        _, programs, unreadable = suite_programs(suite, folder, get_language(language).suffix, root)
        for program in programs[:limit]:
            found += targets_of(language, program.name, program.text)
        for name, reason in unreadable:
            typer.echo(f"unreadable: {name}: {reason}", err=True)
    return [t for t in found if isinstance(t, Target)], [t for t in found if isinstance(t, LeftOut)]


def _verify(trials: list[Trial], size: int, seed: int, workers: int | None, limits: Limits, quiet: bool) -> None:
    """Ask the verifier about a sample; its trials are replaced in place."""
    chosen = sample(trials, size, seed)
    with (
        Pool(PoolSettings(workers=workers or 0)) as pool,
        ThreadPoolExecutor(4) as threads,
        progress_bar("Verifying", quiet=quiet) as progress,
    ):
        verifiers = {name: pool_verifier(pool, name, limits) for name in {t.target.language for t in trials}}

        def ask(index: int) -> Trial:
            return verified_trial(trials[index], verifiers[trials[index].target.language])

        for done, (index, trial) in enumerate(zip(chosen, threads.map(ask, chosen), strict=True), start=1):
            trials[index] = trial
            progress(done, len(chosen))


def _write(folder: Path, number: int, trial: Trial) -> None:
    """One case that came out wrong: given, candidate and what was expected."""
    folder.mkdir(parents=True, exist_ok=True)
    target = trial.target
    suffix = get_language(target.language).suffix
    stem = re.sub(r"[^\w-]+", "_", f"{number:04}_{trial.family}_{trial.kind}_{target.name}")[:120]
    expected = {Family.SPECIFICATION: "reject_spec", Family.PROOF: "reject_proof", Family.HONEST: "accept"}
    case = {
        "language": target.language,
        "task": target.task,
        "expected": expected[trial.family],
        "verdict": trial.report.verdict,
        "exploit": trial.kind,
        "program": target.name,
        "findings": [asdict(f) for f in trial.report.findings],
    }
    for name, text in (("given", target.given), ("candidate", trial.candidate)):
        (folder / f"{stem}.{name}{suffix}").write_bytes(text.encode("utf-8", "surrogatepass"))
    (folder / f"{stem}.json").write_text(json.dumps(case, indent=1) + "\n", encoding="utf-8")


def _counts(trials: Iterable[Trial]) -> dict[str, int]:
    trials = list(trials)
    asked = [t for t in trials if t.status is not None]
    return {
        "made": len(trials),
        "accepted": sum(t.accepted for t in trials),
        "rejected": sum(not t.accepted for t in trials),
        "verifier_asked": len(asked),
        "verifier_took": sum(t.verified for t in asked),
        "verifier_took_and_accepted": sum(t.verified and t.accepted for t in asked),
    }


def _summary(targets: list[Target], left_out: list[LeftOut], trials: list[Trial], seed: int) -> dict[str, Any]:
    by_kind: dict[str, dict[str, dict[str, int]]] = {}
    for family in Family:
        own = [t for t in trials if t.family is family]
        by_kind[family] = {k: _counts(t for t in own if t.kind == k) for k in sorted({t.kind for t in own})}
    return {
        "seed": seed,
        "programs": len({t.name for t in targets}),
        "targets": len(targets),
        "left_out": dict(Counter(x.reason for x in left_out).most_common()),
        "families": {f.value: _counts(t for t in trials if t.family is f) for f in Family},
        "kinds": by_kind,
        "wrong": sum(t.wrong for t in trials),
    }


def _show(targets: list[Target], left_out: list[LeftOut], trials: list[Trial], out: Path) -> None:
    console = Console()
    table = Table(title=f"{len(targets)} targets; {len(left_out)} left out")
    table.add_column("family")
    for heading in ("made", "accepted", "rejected", "verifier asked", "verifier took", "both accept"):
        table.add_column(heading, justify="right")
    for family in Family:
        counts = _counts(t for t in trials if t.family is family)
        table.add_row(family.value, *(str(n) for n in counts.values()))
    console.print(table)
    for reason, number in Counter(x.reason for x in left_out).most_common():
        console.print(f"left out {number}: {reason}", highlight=False)
    wrong = Counter((t.family.value, t.kind) for t in trials if t.wrong)
    for (family_name, kind), number in wrong.most_common():
        console.print(f"wrong {number}: {family_name} {kind}", style="red", highlight=False)
    if wrong:
        console.print(f"written to {out}; `verulaw-rl audit --cases {out} --static` reads them", highlight=False)
