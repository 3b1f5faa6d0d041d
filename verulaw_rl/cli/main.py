"""The ``verulaw-rl`` command: one file per subcommand, imported when that subcommand is invoked.

Here, once, errors that a user can act on become one line on stderr: bad input (:class:`UserError`), a full
disk, a missing optional package, and Ctrl-C. A long-running command may raise ``KeyboardInterrupt`` or
``UserError`` with words that say how to continue. Anything else is a fault of ours and keeps its traceback.
"""

from __future__ import annotations

import errno
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from verulaw_rl import __version__
from verulaw_rl.errors import EXIT_MISUSE, UserError

EXIT_INTERRUPTED = 130

COMMANDS = {
    "doctor": "Say which tools are there, which are missing, and how to get them.",
    "inspect": "Show what we see in a program: declarations, clauses, annotations, regions.",
    "build": "Build a suite of instances from verified programs.",
    "validate": "Score reference, null and given over a whole suite, without a model.",
    "swe-proof": "Check a folder of issues with verified models.",
    "leaks": "Find programs of one suite that another holds too.",
    "verify": "Verify programs with the installed tool.",
    "diagnose": "Read a verifier's recorded output.",
    "audit": "Tell whether a candidate keeps its specification and proves what it claims.",
    "attack": "Attack the audit with generated cheats and honest rewrites of a suite's references.",
    "score": "Evidence and score of one candidate for an instance.",
    "play": "Step through an episode in the terminal.",
    "evaluate": "Run a policy over a suite's split and print rates with intervals.",
    "train": "Train a policy: warm start, GRPO, evaluation before and after.",
    "plan": "Estimate what a training config will take: memory, tokens, verifier core-hours, time.",
    "serve-specialist": "Serve a checkpoint as the proof specialist's endpoint.",
    "cache": "Show or clear the verdicts kept on this machine.",
    "bench": "Measure the verifier (cold, warm, cached, pool), or rollouts against TRL's own loop.",
    "explain": "Say why a recorded or a fresh candidate scores what it scores.",
    "rescore": "Score recorded episodes again under other weights or another reward, without a verifier.",
    "sensitivity": "Sweep each weight and penalty over recorded episodes, with plots.",
    "lab": "Write a page with sliders for every weight, over recorded episodes.",
    "compare": "Hold evaluations of the same instances against one another.",
    "report": "Write one HTML page of runs and evaluations, with every episode of them.",
    "export": "Write evaluations as CSV, Parquet, LaTeX, or logs for Inspect's viewer.",
}
"""Every subcommand and its summary; ``x`` is the function ``x_command`` of ``verulaw_rl.cli.x`` (``_`` for ``-``)."""

EXTRAS = {name: "train" for name in ("torch", "transformers", "trl", "accelerate", "datasets", "tokenizers")} | {
    "wandb": "wandb",
    "vllm": "vllm",
    "peft": "lora",
    "tensorboard": "tensorboard",
    "ray": "ray",
    "openai": "endpoint",
    "gguf": "gguf",
    "inspect_ai": "inspect",
    "pyarrow": "train",
}
"""Optional packages, by the extra that installs them."""


def main() -> None:
    """Entry point of ``verulaw-rl``."""
    arguments = sys.argv[1:]
    invoked = next((a for a in arguments if not a.startswith("-")), None)
    with _errors_in_one_line():
        app = build_app(invoked)
    app()


def build_app(invoked: str | None) -> typer.Typer:
    """The command line: the invoked subcommand imported, the others only listed, which keeps ``--help`` quick."""
    app = typer.Typer(
        name="verulaw-rl",
        help="Train and evaluate language models that write programs proved correct, against a live verifier.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_top_level)
    for name, summary in COMMANDS.items():
        function = _import_command(name) if name == invoked else _listed_only
        app.command(name, short_help=summary)(function)
    return app


def _import_command(name: str) -> Callable[..., Any]:
    module = name.replace("-", "_")
    function: Callable[..., Any] = getattr(importlib.import_module(f"verulaw_rl.cli.{module}"), f"{module}_command")
    return _errors_in_one_line()(function)


def _listed_only() -> None:
    """Stands for a subcommand that is not invoked."""


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"verulaw-rl {__version__}")
        raise typer.Exit()


def _top_level(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Options of the command itself."""


@contextmanager
def _errors_in_one_line() -> Iterator[None]:
    try:
        yield
    except UserError as error:
        _stop(f"error: {error}", EXIT_MISUSE)
    except KeyboardInterrupt as interrupt:
        _stop(str(interrupt) or "interrupted", EXIT_INTERRUPTED)
    except ModuleNotFoundError as error:
        extra = EXTRAS.get((error.name or "").partition(".")[0])
        if extra is None:
            raise
        _stop(f"error: {error.name} is not installed; run `pip install 'verulaw_rl[{extra}]'`", EXIT_MISUSE)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        where = f" ({error.filename})" if error.filename else ""
        _stop(
            f"error: the disk is full{where}; free some space, then run again "
            "(a training run continues with `verulaw-rl train --resume FOLDER`)",
            EXIT_MISUSE,
        )


def _stop(message: str, status: int) -> None:
    print(f"verulaw-rl: {' '.join(message.split())}", file=sys.stderr)
    raise SystemExit(status)
