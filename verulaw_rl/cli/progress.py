"""Progress of long work: a bar on a terminal, a line now and then elsewhere; always on stderr."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

LINE_EVERY_S = 10.0
"""Seconds between progress lines where there is no terminal."""


@contextmanager
def progress_bar(title: str, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Give a function that takes (done, total).

    Args:
        title: what is being worked on.
        quiet: show nothing.
    """
    console = Console(stderr=True)
    if quiet:
        yield lambda done, total: None
    elif console.is_terminal:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console) as bar:
            task = bar.add_task(title, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)
    else:
        began = shown = time.monotonic()
        first: int | None = None

        def line(done: int, total: int) -> None:
            nonlocal shown, first
            first = done if first is None else first
            if time.monotonic() - shown >= LINE_EVERY_S or done == total:
                shown = time.monotonic()
                left_s = (shown - began) * (total - done) / (done - first) if done > first else None
                console.print(f"{title}: {done}/{total}{_left(left_s)}", highlight=False)

        yield line


def _left(seconds: float | None) -> str:
    """An estimate in words, where there is one and something is left."""
    if not seconds:
        return ""
    return f", about {seconds / 3600:.1f} h left" if seconds > 5400 else f", about {seconds / 60:.0f} min left"
