"""``verulaw-rl plan``: what a config will take, with the arithmetic."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from verulaw_rl.config.load import load_config
from verulaw_rl.config.train import TrainConfig
from verulaw_rl.errors import UserError
from verulaw_rl.shipped import find_file
from verulaw_rl.training.plan import Assumptions, Plan, plan_of


def plan_command(
    config: Annotated[str, typer.Argument(help="YAML file: a path, or a shipped one.")],
    overrides: Annotated[
        list[str] | None, typer.Option("--set", help="key.sub=value replaces a value of the config; may be repeated.")
    ] = None,
    assume: Annotated[
        list[str] | None, typer.Option(help="name=value replaces an assumption, such as turns=4; may be repeated.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Estimate GPU memory by role, tokens, verifier core-hours and the time of a step; nothing is started.

    Exits with 1 where something does not fit.
    """
    settings = load_config(find_file(config, "configs"), TrainConfig, tuple(overrides or ()))
    assumed = _assumed(assume or [])
    plan = plan_of(settings, assumed)
    if as_json:
        typer.echo(json.dumps({"config": settings.name, **asdict(plan), "assumptions": asdict(assumed)}))
    else:
        _print(settings.name, plan, assumed)
    raise typer.Exit(1 if any("fit" in w or "no room" in w for w in plan.warnings) else 0)


def _assumed(given: list[str]) -> Assumptions:
    assumed = Assumptions()
    names = [f.name for f in fields(Assumptions)]
    for item in given:
        name, found, value = item.partition("=")
        if not found or name not in names:
            raise UserError(f"--assume {item!r} must read name=value; names: {', '.join(names)}")
        try:
            number = type(getattr(assumed, name))(value)
        except ValueError:
            raise UserError(f"--assume {item!r}: {value!r} is no number") from None
        assumed = replace(assumed, **{name: number})
    return assumed


def _print(name: str, plan: Plan, assumed: Assumptions) -> None:
    console = Console(highlight=False)
    table = Table("role", "what", "estimate", "how", title=f"{name}: {plan.model}")
    part = ""
    for line in plan.lines:
        if line.part != part:
            table.add_section()
        table.add_row("" if line.part == part else line.part, line.what, f"{line.value:,.4g} {line.unit}", line.how)
        part = line.part
    console.print(table)
    console.print(f"Assumed (--assume): {', '.join(f'{k}={v:g}' for k, v in asdict(assumed).items())}")
    for warning in plan.warnings:
        console.print(f"[yellow]{warning}[/]")
