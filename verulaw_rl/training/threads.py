"""How many cores the trainer's own arithmetic takes: few beside a busy verifier, all while it is idle.

Two busy threads of arithmetic beside two verifier workers on two cores run several times slower than one.
Run and ``grpo`` bracket what calls the verifier with :func:`beside_verifier`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def beside_verifier(threads: int | None) -> Iterator[None]:
    """Arithmetic on ``threads`` threads inside, on as many as before outside; ``None`` changes nothing."""
    before = torch.get_num_threads()
    if threads is not None:
        torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def use_all_cores() -> None:
    """Arithmetic on every core that this process may use."""
    torch.set_num_threads(len(os.sched_getaffinity(0)))
