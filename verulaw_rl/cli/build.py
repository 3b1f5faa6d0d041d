"""``verulaw-rl build``: instances from verified programs, with a reason for every program left out."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table

from verulaw_rl import __version__
from verulaw_rl.cli.options import SolverSeconds
from verulaw_rl.cli.progress import progress_bar
from verulaw_rl.errors import UserError
from verulaw_rl.evidence.live import pool_verifier
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.registry import get_language
from verulaw_rl.suites.build import MACHINE_FAILURES, BuildResult, SourceProgram, build_suite
from verulaw_rl.suites.card import card_path, make_card
from verulaw_rl.suites.instance import save_suite
from verulaw_rl.suites.journal import Journal
from verulaw_rl.suites.sources import BENCHMARKS, by_repository, evaluation_only, origin_of, suite_programs
from verulaw_rl.suites.unverified import NOTICE, build_unverified
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.verdict import Limits


def build_command(
    out: Annotated[Path, typer.Option("--out", help="JSONL file to write.")],
    language: Annotated[str, typer.Option(help="Language of the programs.")] = "dafny",
    task: Annotated[
        list[Task] | None, typer.Option(help="Task form to build; repeat for several. All when absent.")
    ] = None,
    suite: Annotated[str | None, typer.Option(help=f"A named suite: seed, {', '.join(BENCHMARKS)}.")] = None,
    root: Annotated[Path | None, typer.Option(help="Folder that a benchmark was downloaded to.")] = None,
    hub: Annotated[
        bool, typer.Option("--hub", help="Load the benchmark with `datasets` from the hub, or from --root.")
    ] = False,
    given: Annotated[
        Literal["ours", "published"], typer.Option(help="Stripped form for annotation repair: ours or the benchmark's.")
    ] = "ours",
    source: Annotated[Path | None, typer.Option("--from", help="Folder of verified programs of your own.")] = None,
    heldout_share: Annotated[float, typer.Option(min=0.0, max=0.9, help="Share of instances to hold out.")] = 0.3,
    seed: Annotated[int, typer.Option(help="Seed of the split.")] = 0,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many programs.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Verifier workers; cores when absent.")] = None,
    solver_s: SolverSeconds = 30.0,
    unverified: Annotated[
        bool, typer.Option("--unverified", help="By syntax alone, without a verifier; the instances are marked.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print counts and rejections as one JSON object.")] = False,
) -> None:
    """Build a suite: verify each program, strip it, find the probes that survive, and write instances.

    Every program that gives no instance is listed with its reason. The same programs, tool and seed give
    the same file. A build that is stopped goes on when the same command is given again.
    """
    syntax = get_language(language)
    tasks = tuple(task or (Task.ANNOTATION_REPAIR, Task.CODE_GENERATION))
    if Task.PATCH_GENERATION in tasks:
        raise UserError("patch_generation instances are not built from single programs")
    name, programs, unreadable = suite_programs(
        suite, source, syntax.suffix, root, published_given=given == "published", hub=hub
    )
    programs = programs[:limit]
    if unverified:
        result = build_unverified(name, language, programs, tasks)
        if result.suite.instances:
            save_suite(result.suite, out)
        _print(result, unreadable, out, len(programs), as_json)
        typer.echo(NOTICE, err=True)
        _require_instances(result, programs)
        return
    limits = Limits.of_work(solver_s)
    with Pool(PoolSettings(workers=workers or 0)) as pool:
        settings = {
            "suite": name,
            "tasks": [t.value for t in tasks],
            "limits": asdict(limits),
            "tool": asdict(pool.identity(language)),
            "version": __version__,
        }
        with (
            Journal(out.with_name(out.name + ".part"), settings) as journal,
            progress_bar("Building") as progress,
        ):
            if len(journal):
                typer.echo(f"going on after {len(journal)} programs of {len(programs)}", err=True)
            try:
                result = build_suite(
                    name,
                    language,
                    programs,
                    tasks,
                    pool_verifier(pool, language, limits),
                    heldout_share=heldout_share,
                    seed=seed,
                    progress=progress,
                    journal=journal,
                    evaluation_only=evaluation_only(name),
                    by_repository=by_repository(suite),
                )
            except KeyboardInterrupt:
                raise KeyboardInterrupt("interrupted; the same command goes on from here") from None
            if result.suite.instances:
                save_suite(result.suite, out)
                card = make_card(
                    name,
                    origin_of(suite, source),
                    result.suite.instances,
                    result.rejected,
                    programs=len(programs) + len(unreadable),
                    built_with={"verulaw_rl": __version__, "solver_s": solver_s, "split_seed": seed},
                    evaluation_only=evaluation_only(name),
                )
                card_path(out).write_text(card, encoding="utf-8")
            unjudged = [r for r in result.rejected if r.reason in MACHINE_FAILURES]
            if not unjudged:
                journal.remove()
    _print(result, unreadable, out, len(programs), as_json)
    if unjudged:
        names = len({r.program for r in unjudged})
        raise UserError(
            f"the verifier failed on {names} programs ({unjudged[0].program}: {unjudged[0].detail}); check it with "
            "`verulaw-rl doctor`, then give the same command again: it builds these alone"
        )
    _require_instances(result, programs)


def _require_instances(result: BuildResult, programs: list[SourceProgram]) -> None:
    if not result.suite.instances:
        raise UserError(f"no program of {len(programs)} gives an instance; nothing was written")


def _print(result: BuildResult, unreadable: list[tuple[str, str]], out: Path, programs: int, as_json: bool) -> None:
    counts = Counter(f"{i.task.value}/{i.split}" for i in result.suite.instances)
    if as_json:
        rejected = [asdict(r) for r in result.rejected]
        rejected += [{"program": n, "task": None, "reason": "unreadable", "detail": why} for n, why in unreadable]
        typer.echo(
            json.dumps(
                {
                    "suite": result.suite.name,
                    "out": str(out),
                    "programs": programs + len(unreadable),
                    "instances": len(result.suite.instances),
                    "counts": dict(sorted(counts.items())),
                    "by_task": dict(Counter(i.task.value for i in result.suite.instances)),
                    "rejected": rejected,
                }
            )
        )
        return
    console = Console()
    table = Table(title=f"{result.suite.name}: {programs} programs")
    table.add_column("task")
    table.add_column("outcome")
    table.add_column("programs", justify="right")
    for key, number in sorted(counts.items()):
        task, split = key.split("/")
        table.add_row(task, f"instance ({split})", str(number))
    reasons = Counter((r.task.value, r.reason) for r in result.rejected)
    for (task, reason), number in sorted(reasons.items(), key=lambda item: (item[0][0], -item[1])):
        table.add_row(task, reason, str(number))
    console.print(table)
    for name, why in unreadable:
        console.print(f"unreadable: {name}: {why}", highlight=False)
    if result.suite.instances:
        console.print(f"wrote {len(result.suite.instances)} instances to {out}", highlight=False)
