"""``verulaw-rl evaluate``: run a policy over a suite's split and print rates with intervals."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml
from rich.console import Console
from rich.table import Table

from verulaw_rl.cli.progress import progress_bar
from verulaw_rl.config.evaluate import EvaluateConfig
from verulaw_rl.config.load import load_config, with_overrides
from verulaw_rl.config.train import TrainConfig
from verulaw_rl.episodes.record import EpisodeRecord
from verulaw_rl.episodes.registration import load_environment
from verulaw_rl.episodes.services import live_services
from verulaw_rl.errors import UserError
from verulaw_rl.evaluation.evaluate import Budget, evaluate
from verulaw_rl.evaluation.metrics import Summary, number, percent, summarise
from verulaw_rl.evaluation.official import FILE as OFFICIAL_FILE
from verulaw_rl.evaluation.official import LABEL as OFFICIAL_LABEL
from verulaw_rl.evaluation.official import (
    SideBySide,
    legacy_runner,
    require_dafny_repair,
    score_official,
    side_by_side_of,
)
from verulaw_rl.evaluation.outcome import outcome_of
from verulaw_rl.evaluation.policies import find_policy
from verulaw_rl.evaluation.report import warnings_of, write_report
from verulaw_rl.evaluation.run_folder import EVALUATIONS, read_run_folder
from verulaw_rl.evaluation.stability import FILE as SEEDS_FILE
from verulaw_rl.evaluation.stability import Stability, stability_of, verify_again
from verulaw_rl.evaluation.versions import installed_versions
from verulaw_rl.evidence.live import limits_of, open_pool
from verulaw_rl.rollouts.policy import Sampling
from verulaw_rl.specialist.declared import services_with
from verulaw_rl.suites.bundled import suite_named
from verulaw_rl.suites.instance import Instance, Suite, save_suite
from verulaw_rl.suites.splits import EVALUATION
from verulaw_rl.suites.unverified import NOTICE
from verulaw_rl.verification.dafny.find import find_dafny
from verulaw_rl.verification.sandbox import detect_sandbox
from verulaw_rl.verification.verdict import Verdict, VerifyRequest

CONFIG = "config.yaml"
PARENTS_SEARCHED = 3
"""Folders above a checkpoint in which its run's config is looked for."""


def evaluate_command(
    out: Annotated[Path, typer.Option(help="Folder to write: records, suite, config and report.html.")],
    policy: Annotated[
        str | None,
        typer.Option(
            help="Model folder, GGUF file, OWNER/NAME on the hub, openai:MODEL on an --endpoint, or "
            "scripted:reference, scripted:given, scripted:null, scripted:random, scripted:insertions, "
            "scripted:houdini."
        ),
    ] = None,
    suite: Annotated[str | None, typer.Option(help="JSONL file that `build` wrote, or `seed`.")] = None,
    split: Annotated[
        str | None,
        typer.Option(help="Split to evaluate [default: heldout, or evaluation]."),
    ] = None,
    samples: Annotated[
        int | None, typer.Option("--samples", "-k", min=1, help="Episodes per instance, for pass@k [default: 1].")
    ] = None,
    temperature: Annotated[float | None, typer.Option(min=0.0, help="0 decodes greedily [default: 0].")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of sampling [default: 0].")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many instances.")] = None,
    endpoint: Annotated[str | None, typer.Option(help="Address of an OpenAI-compatible server, with its /v1.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Stop after so many sampled tokens.")] = None,
    max_cost: Annotated[
        float | None, typer.Option(min=0.0, help="Stop at this cost, by the config's endpoint prices.")
    ] = None,
    max_hours: Annotated[float | None, typer.Option(min=0.0, help="Stop after so many hours.")] = None,
    verdict_seeds: Annotated[
        int | None, typer.Option(min=1, help="Verify accepted programs again under so many solver seeds.")
    ] = None,
    official: Annotated[
        bool, typer.Option("--official", help="Score by DafnyBench's published rule too, side by side.")
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(
            help="YAML with episode, reward and verification; a training run's config.yaml will do. "
            "That of the run a checkpoint lies in is found by itself."
        ),
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", help="key.sub=value replaces a value of the config, such as episode.turns=1; repeat."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the evaluation in the folder.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rates as one JSON object.")] = False,
) -> None:
    """Play every instance of a split and print the rates with 95 % intervals.

    Episodes that failed, that the verifier ran out of its limits on, and that could not be scored are told apart.
    Rows are written as episodes end: after Ctrl-C, `--resume` continues with the same episodes.
    """
    named = {
        "policy": policy,
        "suite": suite,
        "split": split,
        "samples": samples,
        "temperature": temperature,
        "seed": seed,
        "limit": limit,
    }
    chosen = {key: value for key, value in named.items() if value is not None}
    # What episodes do not depend on may be given to --resume too.
    later = {"verdict_seeds": verdict_seeds, "official": official or None}
    limits = {"sampled_tokens": max_tokens, "cost": max_cost, "hours": max_hours}
    changed = {key: value for key, value in later.items() if value is not None}
    changed_limits = {key: value for key, value in limits.items() if value is not None}
    if not resume and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{out} is there already; give a new folder, or --resume to continue the evaluation in it")
    if resume and overrides:
        raise UserError("--resume continues with the settings in the folder; leave --set out")
    settings = with_overrides(_settings(out, config, chosen, resume), tuple(overrides or ()))
    settings = settings.model_copy(
        update=changed | {"budget": settings.budget.model_copy(update=changed_limits)},
    )
    if endpoint is not None:
        settings = settings.model_copy(update={"endpoint": settings.endpoint.model_copy(update={"base_url": endpoint})})
    environment = load_environment(settings.episode.environment)
    source = suite_named(settings.suite)
    if split is None and {i.split for i in source.instances} == {EVALUATION}:
        settings = settings.model_copy(update={"split": EVALUATION})
    instances = _instances(source, settings, environment.task)
    if settings.official:
        require_dafny_repair(instances)
    budget = Budget(settings.budget, settings.endpoint)
    done_total = (0, 0)
    with (
        live_services(settings.verification, settings.reward, settings.episode) as live,
        progress_bar("Evaluating", quiet=as_json) as show,
    ):
        player = find_policy(
            settings.policy,
            settings.episode,
            endpoint=settings.endpoint,
            sampling=Sampling(settings.temperature),
            max_turn_tokens=settings.max_turn_tokens,
            services=live,
        )
        services = services_with(live, settings.specialist)
        if not resume:
            _prepare(out, settings, Suite(source.name, instances))

        def progress(done: int, total: int) -> None:
            nonlocal done_total
            done_total = (done, total)
            show(done, total)

        try:
            records = evaluate(
                player,
                environment,
                instances,
                settings=settings.episode,
                services=services,
                out=out / EVALUATIONS["evaluation"],
                samples=settings.samples,
                temperature=settings.temperature,
                seed=settings.seed,
                max_turn_tokens=settings.max_turn_tokens,
                run=settings.name,
                at_once=settings.episodes_at_once,
                workers=settings.endpoint.concurrency,
                budget=budget,
                progress=progress,
            )
        except KeyboardInterrupt:
            done, total = done_total
            raise KeyboardInterrupt(
                f"interrupted after {done} of {total} episodes; continue with "
                f"`verulaw-rl evaluate --out {out} --resume`"
            ) from None
    if records and settings.verdict_seeds:
        _verify_again(records, instances, settings, out, as_json)
    if records and settings.official:
        _score_officially(records, instances, settings, out, as_json)
    summary = summarise([outcome_of(r, {i.key: i for i in instances}) for r in records])
    report = write_report(out)
    run = read_run_folder(out)
    stability, sides = stability_of(run), side_by_side_of(run)
    warnings = warnings_of(run, {"evaluation": summary})
    wanted = len(instances) * settings.samples
    if len(records) < wanted:
        warnings.insert(0, f"stopped at {len(records)} of {wanted} episodes: {budget.spent}; --resume goes on")
    if any(i.unverified for i in instances):
        warnings.insert(0, f"{source.name} is {NOTICE}")
    if as_json:
        row = {"policy": settings.policy, "suite": source.name, "split": settings.split, "out": str(out)}
        more = {
            "stability": stability.to_json() if stability else None,
            "official": sides.to_json() if sides else None,
            "sampled_tokens": budget.sampled_tokens,
            "cost": budget.cost,
        }
        typer.echo(json.dumps({**row, **summary.to_json(), **more, "warnings": warnings, "report": str(report)}))
    else:
        _print(summary, settings, stability, sides, warnings, report)


def _verify_again(
    records: list[EpisodeRecord], instances: tuple[Instance, ...], settings: EvaluateConfig, out: Path, quiet: bool
) -> None:
    """Accepted programs under other seeds of the solver."""
    limits = limits_of(settings.verification)
    with (
        open_pool(settings.verification) as pool,
        progress_bar("Verifying under other seeds", quiet) as progress,
    ):

        def verify(language: str, program: str, seed: int) -> Verdict:
            return pool.verify(VerifyRequest(language, program, replace(limits, solver_seed=seed)))

        known = {i.key: i for i in instances}
        verify_again(records, known, verify, settings.verdict_seeds, out / SEEDS_FILE, progress=progress)


def _score_officially(
    records: list[EpisodeRecord], instances: tuple[Instance, ...], settings: EvaluateConfig, out: Path, quiet: bool
) -> None:
    """Submissions by DafnyBench's rule."""
    sandbox = detect_sandbox(settings.verification.sandbox)
    workers = settings.verification.workers or os.cpu_count() or 1
    with progress_bar("Scoring by the published rule", quiet) as progress:
        run = legacy_runner(find_dafny(), sandbox)
        known = {i.key: i for i in instances}
        score_official(records, known, run, out / OFFICIAL_FILE, threads=workers, progress=progress)


def _settings(out: Path, config: Path | None, chosen: dict[str, Any], resume: bool) -> EvaluateConfig:
    """The config of the evaluation: a file's values, under those named on the command line."""
    if resume:
        if chosen or config:
            raise UserError("--resume continues with the settings in the folder; leave the other options out")
        if not (out / CONFIG).is_file():
            raise UserError(f"{out} holds no evaluation to resume; start one without --resume")
        saved = load_config(out / CONFIG, EvaluateConfig)
        return saved.model_copy(update={"suite": str(out / "suite.jsonl")})
    if config is None and "policy" in chosen:
        config = _config_of_run(Path(chosen["policy"]))
    base = EvaluateConfig() if config is None else _read(config)
    settings = EvaluateConfig.model_validate({**base.model_dump(), **chosen})
    if not settings.policy:
        raise UserError("no policy to evaluate; give --policy FOLDER or --policy scripted:reference")
    return settings


def _config_of_run(policy: Path) -> Path | None:
    """The config of the training run that a checkpoint lies in: its episodes are those the policy was trained on."""
    if not policy.is_dir():
        return None
    folders = [policy.resolve(), *policy.resolve().parents[:PARENTS_SEARCHED]]
    found = next((folder / CONFIG for folder in folders if (folder / CONFIG).is_file()), None)
    if found is not None:
        typer.echo(f"episodes as in {found}", err=True)
    return found


def _read(path: Path) -> EvaluateConfig:
    """An evaluation's own config, or what a training run's says of episodes, rewards, verification and evaluation."""
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        data = None
    if not (isinstance(data, dict) and isinstance(data.get("suite"), dict)):
        return load_config(path, EvaluateConfig)
    train = load_config(path, TrainConfig)
    beside = path.parent / "suite.jsonl"
    suite = str(beside) if beside.is_file() else train.suite.path if train.suite.type == "file" else "seed"
    return EvaluateConfig(
        suite=suite,
        split=train.evaluation.split,
        limit=train.evaluation.instances,
        samples=train.evaluation.samples,
        temperature=train.evaluation.temperature,
        max_turn_tokens=train.grpo.max_turn_tokens,
        episode=train.episode,
        reward=train.reward,
        verification=train.verification,
        specialist=train.specialist,
    )


def _instances(suite: Suite, settings: EvaluateConfig, task: str) -> tuple[Instance, ...]:
    """Instances of the split and the environment's task."""
    split = suite.split(settings.split)
    if not split:
        splits = ", ".join(sorted({i.split for i in suite.instances}))
        raise UserError(f"suite {suite.name!r} has no instance in the split {settings.split!r}; its splits: {splits}")
    chosen = tuple(i for i in split if i.task == task)[: settings.limit]
    if not chosen:
        raise UserError(
            f"the split {settings.split!r} of suite {suite.name!r} has no {task} instance, which "
            f"{settings.episode.environment} plays; name another environment in a --config"
        )
    return chosen


def _prepare(out: Path, settings: EvaluateConfig, suite: Suite) -> None:
    """Make the folder, with all that a resumed or repeated evaluation needs."""
    out.mkdir(parents=True, exist_ok=True)
    (out / CONFIG).write_text(yaml.safe_dump(settings.model_dump(mode="json"), sort_keys=False), encoding="utf-8")
    (out / "versions.json").write_text(json.dumps(installed_versions(), indent=2) + "\n", encoding="utf-8")
    save_suite(suite, out / "suite.jsonl")


def _print(
    summary: Summary,
    settings: EvaluateConfig,
    stability: Stability | None,
    sides: SideBySide | None,
    warnings: list[str],
    report: Path,
) -> None:
    console = Console()
    table = Table(title=f"{settings.policy} on {settings.split}: {summary.instances} instances")
    table.add_column("")
    table.add_column("value (95 % interval)", justify="right")
    for metric in summary.metrics:
        table.add_row(metric.label, (percent if metric.is_rate else number)(metric.estimate))
    table.add_row("episodes that could not be scored", f"{summary.unscorable} of {summary.episodes}")
    if stability is not None:
        words = f"accepted programs that hold under {stability.seeds} other solver seeds"
        table.add_row(words, percent(stability.all_hold))
    if sides is not None:
        table.add_row(OFFICIAL_LABEL, percent(sides.official))
    console.print(table)
    ends = ", ".join(f"{reason} {n}" for reason, n in summary.end_reasons.items())
    console.print(f"episodes ended: {ends}", highlight=False)
    for failure in summary.audit_failures:
        console.print(
            f"audit: {failure.construct} in {failure.submissions} of {summary.submissions} submissions", highlight=False
        )
    if sides is not None:
        for case in sides.differ:
            side = "published rule only" if case.official else "ours only"
            console.print(f"accepted by {side}: {case.instance}: {case.why}", highlight=False, soft_wrap=True)
    console.print(f"verifier: {', '.join(summary.tools)}", highlight=False)
    for warning in warnings:
        console.print(f"[yellow]{warning}[/]", highlight=False)
    console.print(f"report: {report}", highlight=False, soft_wrap=True)
