"""``verulaw-rl bench rollouts``: whether verification hides behind generation, and TRL's own loop beside ours.

``bench`` hands over to :func:`bench_rollouts`. It exits with 1 where a target of the design is missed.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from verulaw_rl.config.episode import EpisodeConfig, RewardConfig
from verulaw_rl.config.verification import VerificationConfig
from verulaw_rl.episodes.registration import load_environment
from verulaw_rl.episodes.services import live_services
from verulaw_rl.languages.base import Task
from verulaw_rl.suites.bundled import bundled_suite

WORKERS = 2
"""Of the real verifier."""
TARGETS = {
    "overlap_real": 1.25,
    "overlap_scripted": 1.25,
    "against_trl": 4.0,
    "engine_share": 0.05,
    "turns_per_s": 1000,
}
_AT_LEAST = ("against_trl", "turns_per_s")


def bench_rollouts(as_json: bool) -> bool:
    """Measure, print, and say whether every target is met."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    import warnings

    from transformers.utils.logging import disable_progress_bar, set_verbosity_error

    from verulaw_rl.training import measure_rollouts as measure

    warnings.filterwarnings("ignore", category=FutureWarning)
    disable_progress_bar()  # type: ignore[no-untyped-call]
    set_verbosity_error()  # type: ignore[no-untyped-call]
    say = Console(stderr=True, quiet=as_json).print
    environment = load_environment("envs/annotation_repair.py")
    suite = measure.bench_suite(bundled_suite(Task.ANNOTATION_REPAIR).instances)
    say(f"{measure.CONCURRENT} scripted episodes at once ...")
    rate = measure.turns_per_second(suite, environment)
    work = f"{measure.EPISODES} episodes of {measure.TURNS} turns"
    say(f"{work}, real verifier ...")
    with live_services(VerificationConfig(cache=False, workers=WORKERS), RewardConfig(), EpisodeConfig()) as services:
        for instance in suite.instances[:WORKERS]:  # starts the workers
            services.collect(instance, instance.given)
        real = measure.our_loop(suite, environment, services, WORKERS)
    scripted = measure.scripted_services(measure.SCRIPTED_S, measure.SCRIPTED_WORKERS)
    say(f"{work}, scripted verifier of {measure.SCRIPTED_S:g} s ...")
    ours = measure.our_loop(suite, environment, scripted, measure.SCRIPTED_WORKERS)
    say("the same in TRL's environment_factory loop ...")
    trl_s = measure.trl_loop(suite, environment, scripted)
    result: dict[str, Any] = {
        "cores": len(os.sched_getaffinity(0)),
        "load": os.getloadavg()[0],
        "overlap_real": real.ratio,
        "overlap_scripted": ours.ratio,
        "against_trl": trl_s / ours.wall_s,
        "engine_share": max(real.engine_s / real.wall_s, ours.engine_s / ours.wall_s),
        "turns_per_s": rate,
        "real": asdict(real),
        "scripted": asdict(ours),
        "trl_s": trl_s,
    }
    good = {k: result[k] >= t if k in _AT_LEAST else result[k] <= t for k, t in TARGETS.items()}
    result["met"] = good
    if as_json:
        typer.echo(json.dumps(result))
    else:
        _print(work, result)
    return all(good.values())


def _print(work: str, result: dict[str, Any]) -> None:
    table = Table("what", "figure", "target", title=f"{work}; {result['cores']} cores, load {result['load']:.1f}")
    for which, name in (("real", "real verifier"), ("scripted", "scripted verifier")):
        part = result[which]
        table.add_row(
            f"{name}: wall, generation, verification over workers",
            f"{part['wall_s']:.1f} s, {part['generation_s']:.1f} s, {part['verification_s']:.1f} s",
            "",
        )
    for key, what in (
        ("overlap_real", "wall against the larger of the two, real verifier"),
        ("overlap_scripted", "wall against the larger of the two, scripted verifier"),
        ("against_trl", f"TRL's environment_factory loop ({result['trl_s']:.1f} s) against ours"),
        ("engine_share", "engine's own time, share of the wall time"),
        ("turns_per_s", "turns a second, 256 scripted episodes at once"),
    ):
        sign = "at least" if key in _AT_LEAST else "at most"
        mark = "[green]" if result["met"][key] else "[red]"
        table.add_row(what, f"{mark}{result[key]:.3g}[/]", f"{sign} {TARGETS[key]:g}")
    Console().print(table)
