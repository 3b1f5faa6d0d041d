"""``verulaw-rl doctor``: what is there, what is missing, and the command that gets it."""

from __future__ import annotations

import importlib.metadata
import json
import platform
from dataclasses import asdict, dataclass
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from verulaw_rl.errors import UserError
from verulaw_rl.verification.adapter import WorkerFault
from verulaw_rl.verification.registry import get_adapter, tool_names
from verulaw_rl.verification.sandbox import Sandbox, detect_sandbox
from verulaw_rl.verification.verdict import Limits, Status

PACKAGES = {
    "gymnasium": "",
    "pydantic": "",
    "torch": "train",
    "transformers": "train",
    "trl": "train",
    "datasets": "train",
    "wandb": "wandb",
    "vllm": "vllm",
}
"""Packages worth naming, with the extra that brings them (none: always there)."""

WALL_S = 180.0
"""For a small program, tool started anew: Nagini takes 10 s on an idle machine."""


@dataclass(frozen=True, slots=True)
class ToolState:
    """One verifier on this machine."""

    found: bool
    version: str | None = None
    path: str | None = None
    solver: str | None = None
    works: bool = False
    """Whether it verified a small program just now."""
    fix: str | None = None
    """What to do; ``None`` when all is well."""


def doctor_command(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say which tools are there, which are missing, and how to get them.

    Each verifier found is tried on a small program. Exits with 0 when a verifier works, 1 otherwise.
    """
    sandbox = detect_sandbox("auto")
    tools = {name: _state(name, sandbox) for name in tool_names()}
    packages = {name: _version(name) for name in PACKAGES}
    if as_json:
        typer.echo(
            json.dumps(
                {
                    "tools": {name: asdict(state) for name, state in tools.items()},
                    "sandbox": sandbox.mode,
                    "sandbox_reason": sandbox.reason,
                    "python": platform.python_version(),
                    "packages": packages,
                }
            )
        )
    else:
        _print(tools, sandbox, packages)
    raise typer.Exit(0 if any(t.works for t in tools.values()) else 1)


def _state(name: str, sandbox: Sandbox) -> ToolState:
    try:
        adapter = get_adapter(name, warm=False)
    except UserError as error:
        return ToolState(found=False, fix=str(error))
    tool = adapter.installed()
    fix = "; ".join(tool.notes) or None
    try:
        limits = Limits(wall_s=WALL_S)
        verdict = adapter.start_worker(sandbox, limits.memory_bytes, ()).verify(adapter.known_good, limits)
        works = verdict.status is Status.VERIFIED
        if not works:
            fix = f"does not verify a small program ({verdict.message}): {tool.install}"
    except (WorkerFault, OSError) as fault:
        works, fix = False, f"does not run ({fault}): {tool.install}"
    return ToolState(True, tool.version, tool.path, tool.solver, works, fix)


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _print(tools: dict[str, ToolState], sandbox: Sandbox, packages: dict[str, str | None]) -> None:
    table = Table("what", box=None)
    table.add_column("state", overflow="fold")
    table.add_column("to do", overflow="fold")
    for name, tool in tools.items():
        state = f"{tool.version} at {tool.path}, {tool.solver}" if tool.found else "missing"
        table.add_row(
            name, f"{state}{'' if tool.works or not tool.found else ', does not work'}", escape(tool.fix or "")
        )
    fix = "" if sandbox.mode == "bwrap" else sandbox.reason
    table.add_row("sandbox", sandbox.mode, fix)
    table.add_row("python", platform.python_version(), "")
    for name, version in packages.items():
        extra = PACKAGES[name]
        table.add_row(name, version or "not installed", "" if version else escape(f"pip install 'verulaw_rl[{extra}]'"))
    Console().print(table)
