"""``verulaw-rl train``: warm start, GRPO, evaluation before and after, in one folder."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
import yaml
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from verulaw_rl.cli.progress import LINE_EVERY_S
from verulaw_rl.config.load import load_config
from verulaw_rl.config.train import TrainConfig
from verulaw_rl.errors import UserError
from verulaw_rl.shipped import find_file

if TYPE_CHECKING:
    from verulaw_rl.training.run import TrainingResult


def train_command(
    config: Annotated[
        str | None, typer.Argument(help="YAML file: a path, or a shipped one such as configs/quickstart.yaml.")
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="Continue the run in this folder instead.")] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", help="key.sub=value replaces a value of the config; may be repeated.")
    ] = None,
    slurm: Annotated[
        bool, typer.Option("--slurm", help="Submit the run as a SLURM job; with --dry-run only write its scripts.")
    ] = False,
    canary_steps: Annotated[
        int, typer.Option(min=0, help="Instead, so many updates at learning rate 0: rewards must not drift.")
    ] = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the resolved config and stop.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Train a policy as a config says, and print the held-out verified rate before and after.

    Everything a run leaves behind lies in one folder, `<output>/<name>`, which is never written over. Ctrl-C is safe:
    `--resume FOLDER` continues with the batch that would have come next.
    """
    if (config is None) == (resume is None):
        raise UserError("give a config to start a run, or --resume FOLDER to continue one")
    if resume is not None and overrides:
        raise UserError("--resume continues with the config in the folder; leave --set out, or start a new run")
    settings = load_config(
        resume / "config.yaml" if resume is not None else find_file(str(config), "configs"),
        TrainConfig,
        tuple(overrides or ()),
    )
    if canary_steps:
        from verulaw_rl.training.at_rest import at_rest

        settings = at_rest(settings, canary_steps)
    if slurm:
        return _as_job(settings, resume, dry_run, as_json)
    if dry_run:
        text = yaml.safe_dump(settings.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
        typer.echo(json.dumps(settings.model_dump(mode="json")) if as_json else text, nl=as_json)
        return
    _settle_libraries()
    from verulaw_rl.training.folder import TrainingFolder
    from verulaw_rl.training.run import run_training
    from verulaw_rl.training.stopping import EXIT_RESUMABLE, StoppedError

    folder = TrainingFolder.create(settings) if resume is None else TrainingFolder.open(resume)
    with _Shown(quiet=as_json) as shown:
        shown.say(f"Run folder: {folder.path}")
        try:
            result = run_training(folder, shown)
        except StoppedError:
            shown.say(f"Told to end; continue with `verulaw-rl train --resume {folder.path}`")
            raise typer.Exit(EXIT_RESUMABLE) from None
    if result is None:
        return
    if canary_steps:
        from verulaw_rl.evaluation.run_folder import read_rows
        from verulaw_rl.training.at_rest import drift_of

        said = drift_of(read_rows(result.folder / "metrics.jsonl"))
        typer.echo(said or f"No drift over {canary_steps} updates at learning rate 0.")
        raise typer.Exit(1 if said else 0)
    if as_json:
        typer.echo(json.dumps(_row(result)))
    else:
        _print(result)


def _as_job(settings: TrainConfig, resume: Path | None, dry_run: bool, as_json: bool) -> None:
    """Write the run's folder with its resolved config and scripts, and submit them unless that is left out."""
    from verulaw_rl.training.folder import TrainingFolder
    from verulaw_rl.training.slurm import render, submit, write

    render(settings, Path(settings.output))  # what is wrong with it is said before a folder is there
    folder = TrainingFolder.create(settings) if resume is None else TrainingFolder.open(resume)
    scripts = write(settings, folder.path)
    said = "" if dry_run else submit(scripts[0])
    if as_json:
        typer.echo(json.dumps({"folder": str(folder.path), "scripts": [str(p) for p in scripts], "submitted": said}))
        return
    typer.echo(f"Run folder: {folder.path}")
    for path in scripts:
        typer.echo(f"  {path}")
    typer.echo(said or f"Nothing was started; `sbatch {scripts[0]}` does it.")


def _settle_libraries() -> None:
    """What OpenMP reads when torch is imported, so before that: spinning threads would take the verifier's cores."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")


class _Shown:
    """Shows a run's progress on stderr: a bar on a terminal, lines elsewhere."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._console = Console(stderr=True, quiet=quiet, highlight=False, soft_wrap=True)
        self._bar: Progress | None = None
        self._title = ""
        self._run_started_s = time.monotonic()
        self._phase_started_s = self._shown_s = self._run_started_s

    def __enter__(self) -> _Shown:
        if self._console.is_terminal and not self._quiet:
            columns = (TextColumn("{task.description}"), BarColumn(bar_width=24), MofNCompleteColumn())
            rest = (TimeElapsedColumn(), TimeRemainingColumn(), TextColumn("{task.fields[facts]}"))
            self._bar = Progress(*columns, *rest, console=self._console)
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def phase(self, title: str) -> None:
        """A phase begins."""
        self._title, self._phase_started_s = title, time.monotonic()
        if self._bar is not None:
            for task in self._bar.task_ids:
                self._bar.remove_task(task)
            self._bar.add_task(title, total=None, facts="")
        else:
            self.say(f"{title} ...")

    def progress(self, done: int, total: int, facts: str = "") -> None:
        """How far the phase is."""
        now = time.monotonic()
        if self._bar is not None and self._bar.task_ids:
            self._bar.update(self._bar.task_ids[-1], completed=done, total=total, facts=facts)
        elif now - self._shown_s >= LINE_EVERY_S or done == total:
            self._shown_s = now
            left = (now - self._phase_started_s) / done * (total - done) if done else 0.0
            eta = f", about {_minutes(left)} left" if done and done < total else ""
            self.say(f"{self._title}: {done}/{total}{f', {facts}' if facts else ''}{eta}")

    def say(self, line: str) -> None:
        """A line of its own, with the time since the run began."""
        self._console.print(f"\\[{_minutes(time.monotonic() - self._run_started_s)}] {line}")


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def _row(result: TrainingResult) -> dict[str, Any]:
    return {
        "folder": str(result.folder),
        "before": result.before.to_json(),
        "after": result.after.to_json(),
        "report": str(result.report),
    }


def _print(result: TrainingResult) -> None:
    from verulaw_rl.evaluation.metrics import percent

    console = Console(highlight=False, soft_wrap=True)
    console.print("Held-out verified rate, with its 95 % interval:")
    console.print(f"  before GRPO: {percent(result.before.get('verified'))}")
    console.print(f"  after GRPO:  {percent(result.after.get('verified'))}")
    console.print(f"Report: {result.report}")
