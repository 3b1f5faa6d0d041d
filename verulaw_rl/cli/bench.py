"""``verulaw-rl bench``: measure the verifier on this machine.

Prints what the documentation's figures come from. No verdict comes from the cache of this machine.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.table import Table

from verulaw_rl.cli.options import SolverSeconds
from verulaw_rl.cli.progress import progress_bar
from verulaw_rl.errors import UserError
from verulaw_rl.evidence.collect import collect
from verulaw_rl.evidence.live import pool_verifier
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.registry import get_language
from verulaw_rl.suites.bundled import bundled_path, bundled_suite
from verulaw_rl.suites.sources import suite_programs
from verulaw_rl.verification import measure
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.registry import get_adapter
from verulaw_rl.verification.verdict import Limits


def bench_command(
    what: Annotated[
        Literal["verifier", "rollouts"],
        typer.Argument(help="What to measure. Rollouts take a minute or two; only --json applies to them."),
    ],
    programs: Annotated[int, typer.Option(min=1, help="Programs, spread over the suite by size.")] = 30,
    language: Annotated[str, typer.Option(help="Of the programs: whose verifier is measured.")] = "dafny",
    suite: Annotated[
        str | None, typer.Option(help="A named suite: seed (default), dafnybench, humaneval-nagini, ...")
    ] = None,
    root: Annotated[Path | None, typer.Option(help="Folder that a benchmark was downloaded to.")] = None,
    source: Annotated[Path | None, typer.Option("--from", help="Folder of programs of your own.")] = None,
    solver_s: SolverSeconds = 30.0,
    within_s: Annotated[
        float | None, typer.Option(help="Only of programs that verify warm within so many seconds.")
    ] = None,
    ray: Annotated[
        str | None, typer.Option(help="Address of a Ray cluster whose verdicts are compared too (auto: this one).")
    ] = None,
    soak: Annotated[
        int, typer.Option(min=0, help="Only this many verifications, one in ten hostile, watching memory.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure the verifier: cold, warm, cached, the pool's own time, a whole submission, and whether verdicts agree.

    All ratios are of one run over the same programs. Exits with 1 if two ways of verifying gave different verdicts,
    or a soak lost a call or left a process behind.
    """
    if what == "rollouts":
        from verulaw_rl.cli.bench_rollouts import bench_rollouts

        raise typer.Exit(0 if bench_rollouts(as_json) else 1)
    name, found, _ = suite_programs(
        suite or ("seed" if source is None else None), source, get_language(language).suffix, root
    )
    chosen = spread(sorted(found, key=lambda p: (len(p.text), p.name)), programs)
    names, texts = [p.name for p in chosen], [p.text for p in chosen]
    limits = Limits.of_work(solver_s)
    head = {
        "tool": asdict(get_adapter(language).identity()),
        "suite": name,
        "programs": len(texts),
        "cores": len(os.sched_getaffinity(0)),
        "load_before": os.getloadavg()[0],
        "python": platform.python_version(),
    }
    if soak:
        result, good = _soak(language, texts, soak, limits)
    else:
        result, good = _speeds(language, names, texts, limits, ray, within_s)
    if as_json:
        typer.echo(json.dumps({**head, **result}))
    else:
        _print(f"{name}, {len(texts)} programs, {head['cores']} cores, load {head['load_before']:.1f}", result)
    raise typer.Exit(0 if good else 1)


def spread(items: Sequence[Any], wanted: int) -> list[Any]:
    """So many of the items, at even distances, first and last included."""
    if wanted >= len(items):
        return list(items)
    return [items[round(n * (len(items) - 1) / max(1, wanted - 1))] for n in range(wanted)]


def _speeds(
    language: str, names: Sequence[str], texts: Sequence[str], limits: Limits, ray: str | None, within_s: float | None
) -> tuple[dict[str, Any], bool]:
    def passed(title: str, settings: PoolSettings, **more: Any) -> measure.Pass:
        with progress_bar(title) as progress:
            done = measure.verify_all(language, texts, limits, settings, progress=progress, **more)
        typer.echo(f"{title}: {done.wall_s:.1f} s for {len(texts)} programs, median {done.median_s:.3f} s", err=True)
        return done

    submissions = _submissions(language, limits, len(texts))
    one = PoolSettings(workers=1)
    warm = passed("Warm", one)
    if within_s is not None:
        kept = measure.verified_within(warm, within_s)
        if not kept:
            raise UserError(f"no program verifies within {within_s:g} s")
        names, texts, warm = [names[i] for i in kept], [texts[i] for i in kept], warm.only(kept)
    cold = passed("Cold", one, warm_up=0, find_adapter=measure.cold)
    queued = passed("One worker", one, callers=measure.CALLERS)
    double = passed("Two workers", PoolSettings(workers=2), callers=measure.CALLERS)
    cached = measure.from_cache(language, texts, limits, warm.verdicts)
    others = {"cold": cold, "one_worker_loaded": queued, "two_workers_loaded": double, "cached": cached}
    if ray is not None:
        others["ray"] = passed("Ray", PoolSettings(backend="ray", ray_address=ray), callers=measure.CALLERS)
    differ = {way: measure.differing(names, warm.verdicts, other.verdicts) for way, other in others.items()}
    overhead = measure.pool_overhead()
    result = {
        "measured": len(texts),
        "cold_s": cold.median_s,
        "warm_s": warm.median_s,
        "warm_speedup": cold.median_s / warm.median_s,
        "one_worker_s": queued.wall_s,
        "two_workers_s": double.wall_s,
        "two_workers_speedup": queued.wall_s / double.wall_s,
        "submission_ratio": submissions and submissions[1] / submissions[0],
        "cached_s": statistics.median(cached.seconds) if cached.seconds else None,
        "pool_call_s": overhead.call_s,
        "pool_calls_per_s": overhead.calls_per_s,
        "differing": differ,
    }
    return result, not any(differ.values())


def _submissions(language: str, limits: Limits, wanted: int) -> tuple[float, float] | None:
    """Wall seconds of plain verifications of references, and of scoring the same with all their probes.

    ``None`` where no seed suite of the language is bundled.
    """
    if not bundled_path(language).is_file():
        return None
    instances = spread([i for i in bundled_suite(Task.ANNOTATION_REPAIR, language).instances if i.probes], wanted)
    plain_s = submission_s = 0.0
    with (
        Pool(PoolSettings(workers=1), cache=measure.no_cache()) as pool,
        progress_bar("Submissions") as progress,
    ):
        verify = pool_verifier(pool, language, limits)
        verify(get_adapter(language).known_good)
        for done, instance in enumerate(instances, start=1):
            plain_s += _seconds(verify, instance.reference)
            submission_s += _seconds(collect, instance, instance.reference, verify)
            progress(done, len(instances))
    return plain_s, submission_s


def _seconds(call: Callable[..., object], *arguments: object) -> float:
    began = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - began


def _soak(language: str, texts: Sequence[str], calls: int, limits: Limits) -> tuple[dict[str, Any], bool]:
    with progress_bar("Soak") as progress:
        done = measure.soak(language, texts, calls, limits, PoolSettings(), progress)
    result = {**asdict(done), "rss_growth": done.rss_last_mb / done.rss_first_mb - 1}
    return result, not (done.lost or done.survivors)


_ROWS = {
    "measured": ("programs measured", "{}"),
    "cold_s": ("cold, median", "{:.2f} s"),
    "warm_s": ("warm, median", "{:.2f} s"),
    "warm_speedup": ("warm against cold", "{:.1f}×"),
    "one_worker_s": ("one worker, all programs", "{:.1f} s"),
    "two_workers_s": ("two workers, all programs", "{:.1f} s"),
    "two_workers_speedup": ("two workers against one", "{:.2f}×"),
    "submission_ratio": ("a submission with its probes against verifying it", "{:.2f}×"),
    "cached_s": ("cached call, median", "{:.4f} s"),
    "pool_call_s": ("pool's own time a call", "{:.5f} s"),
    "pool_calls_per_s": (f"pool with {measure.SIMULATED_WORKERS} workers that answer at once", "{:,.0f} calls/s"),
    "calls": ("verifications", "{}"),
    "lost": ("calls without a verdict", "{}"),
    "statuses": ("statuses", "{}"),
    "rss_first_mb": ("resident memory after warm-up", "{:.0f} MB"),
    "rss_last_mb": ("resident memory at the end", "{:.0f} MB"),
    "rss_growth": ("growth", "{:+.1%}"),
    "survivors": ("processes left behind", "{}"),
    "wall_s": ("wall time", "{:.0f} s"),
}


def _print(title: str, result: dict[str, Any]) -> None:
    table = Table("what", "figure", title=title)
    for key, (what, form) in _ROWS.items():
        if result.get(key) is not None:
            table.add_row(what, form.format(result[key]))
    for way, names in result.get("differing", {}).items():
        said = "all equal" if not names else f"{len(names)} differ: {', '.join(names[:5])}"
        table.add_row(f"verdicts, {way.replace('_', ' ')} against warm", said)
    Console().print(table)
