"""What this machine can carry: how many workers by cores and memory, and which processors each one uses."""

from __future__ import annotations

import os
from pathlib import Path

import psutil

_CPUS_PER_WORKER = 3
"""Dafny's server runs half as many solvers as it sees processors: with three it runs one, as the limits assume."""
_FOR_WORKERS = 0.9
"""Share of the memory that workers may reach together, each at its limit."""
_CGROUP_MEMORY = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def workers_by_resources(memory_bytes: int, *, cores: int | None = None, total_bytes: int | None = None) -> int:
    """How many workers fit, at least one.

    Args:
        memory_bytes: limit of one worker.
        cores: that this process may use; asked when absent.
        total_bytes: memory that this process may use; asked when absent.
    """
    cores = cores or len(os.sched_getaffinity(0))
    total_bytes = total_bytes or usable_memory_bytes()
    return max(1, min(cores, int(total_bytes * _FOR_WORKERS) // memory_bytes))


def usable_memory_bytes() -> int:
    """Memory of the machine, or of the container or batch job that this process is in where that is less."""
    total = int(psutil.virtual_memory().total)
    for file in _CGROUP_MEMORY:
        try:
            total = min(total, int(file.read_text()))
        except (OSError, ValueError):  # none of that kind, or "max"
            continue
    return total


def cpu_window(seat: int) -> tuple[int, ...]:
    """Processors for the worker at a seat: a window of a few, another for each seat; empty for all."""
    available = sorted(os.sched_getaffinity(0))
    if len(available) <= _CPUS_PER_WORKER:
        return ()
    return tuple(sorted(available[(seat * _CPUS_PER_WORKER + i) % len(available)] for i in range(_CPUS_PER_WORKER)))
