"""``verulaw-rl play``: a person steps an episode in the terminal, or a script does through a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.rule import Rule

from verulaw_rl.cli.files import read_program
from verulaw_rl.cli.options import SolverSeconds
from verulaw_rl.config.episode import EpisodeConfig, RewardConfig
from verulaw_rl.config.verification import VerificationConfig
from verulaw_rl.episodes.env import ProofEnv
from verulaw_rl.episodes.record import dump_record
from verulaw_rl.episodes.registration import load_environment
from verulaw_rl.episodes.services import live_services
from verulaw_rl.errors import UserError

HOW_TO = "Write a turn, then a line with a single dot. A line @FILE takes the turn from a file. End of input ends."


def play_command(
    suite: Annotated[
        str | None,
        typer.Option(help="JSONL file, `seed` or `seed-LANGUAGE`; `seed` if absent."),
    ] = None,
    instance: Annotated[str | None, typer.Option(help="Key of the instance; one is drawn if absent.")] = None,
    environment: Annotated[str, typer.Option(help="Environment file.")] = "envs/annotation_repair.py",
    split: Annotated[str, typer.Option(help="Split that an instance is drawn from.")] = "train",
    seed: Annotated[int, typer.Option(help="Seed of the draw.")] = 0,
    hand_in: Annotated[str, typer.Option(help="`full` or `insertions`.")] = "full",
    wire_format: Annotated[str, typer.Option(help="`tags` or `tools`.")] = "tags",
    prompt: Annotated[str, typer.Option(help="`full` or `compact`.")] = "full",
    turns: Annotated[int, typer.Option(help="Turn budget.")] = 20,
    reward: Annotated[str, typer.Option(help="Reward file.")] = "rewards/obligation.py",
    solver_s: SolverSeconds = 30.0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the record at the end; all else goes to stderr.")
    ] = False,
) -> None:
    """Step through an episode, seeing exactly what a model sees.

    Each turn is the text that a model would write: for instance a program in <submit> and </submit>, then a line
    with a single dot. A line @FILE in its place takes the turn from a file. At the end the episode's reward is
    shown, hidden probes included.
    """
    settings = _settings(environment=environment, hand_in=hand_in, wire_format=wire_format, prompt=prompt, turns=turns)
    console = Console(stderr=as_json, highlight=False, markup=False, soft_wrap=True)
    with live_services(
        VerificationConfig(workers=1, solver_s=solver_s), RewardConfig(file=reward), settings
    ) as services:
        env = load_environment(environment)(
            suite, split=None if instance else split, settings=settings, services=services
        )
        env.reset(seed=seed, options={"instance": instance} if instance else None)
        _play(env, console, sys.stdin)
        if as_json:
            typer.echo(dump_record(env.record(run="play", policy="person")))


def _settings(**values: Any) -> EpisodeConfig:
    try:
        return EpisodeConfig(**values)
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(f"--{str(first['loc'][0]).replace('_', '-')}: {first['msg']}") from None


def _play(env: ProofEnv, console: Console, source: TextIO) -> None:
    """Play the episode that has begun to its end, or to the end of the input."""
    console.print(f"instance {env.episode.instance.key}")
    for message in env.messages:
        _show(console, message["role"], message["content"])
    console.print(HOW_TO)
    for text in _turns(source):
        observation, _, ended, _, _ = env.step(text)
        _show(console, f"turn {len(env.episode.turns)}", observation)
        if ended:
            break
    else:
        env.truncate("input_ended")
    summary = env.episode.summary()
    value = "none: nothing could be scored" if summary.reward is None else f"{summary.reward:.3f}"
    console.print(f"\nThe episode ended: {env.episode.end_reason}. Reward {value}.")
    for name, part in summary.components.items():
        console.print(f"  {name}: {part:.3f}")


def _turns(source: TextIO) -> Iterator[str]:
    """Turns from lines: up to a single dot each, or from a file that a first line ``@FILE`` names."""
    lines: list[str] = []
    for line in source:
        line = line.rstrip("\r\n")
        if not lines and line.startswith("@"):
            yield read_program(Path(line[1:].strip()).expanduser())
        elif line == ".":
            yield "\n".join(lines)
            lines = []
        else:
            lines.append(line)
    if any(line.strip() for line in lines):
        yield "\n".join(lines)


def _show(console: Console, title: str, text: str) -> None:
    console.print(Rule(title, align="left", style=""))
    console.print(text)
