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
        shown = time.monotonic()

        def line(done: int, total: int) -> None:
            nonlocal shown
            if time.monotonic() - shown >= LINE_EVERY_S or done == total:
                shown = time.monotonic()
                console.print(f"{title}: {done}/{total}", highlight=False)

        yield line
