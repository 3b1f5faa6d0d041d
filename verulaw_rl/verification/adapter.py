"""The contract between the pool and a tool: one adapter per language, one worker per busy thread.

An adapter knows one installed tool. It starts workers; a worker verifies one program at a time and
may be a warm server or a command line run anew. The pool owns threads, retries and the cache;
``verification.registry`` lists the adapters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from verulaw_rl.verification.execution import ExecutionLimits, RunResult
from verulaw_rl.verification.sandbox import Sandbox
from verulaw_rl.verification.verdict import Limits, ToolIdentity, Verdict


class WorkerFault(Exception):
    """A worker that crashed, died or talked nonsense. It is gone; the program may or may not be to blame."""


class Worker(Protocol):
    """One tool process (or the readiness to start one). Used by one thread at a time."""

    @property
    def usable(self) -> bool:
        """Whether it should be given another program: alive, not worn out, not grown too large."""
        ...

    def verify(self, program: str, limits: Limits) -> Verdict:
        """Verify one program.

        Raises:
            WorkerFault: the worker broke; it has ended itself.
        """
        ...

    def end(self) -> None:
        """Send the end from any thread; a call in progress then raises :class:`WorkerFault`."""
        ...

    def close(self) -> None:
        """End every process of it and wait until they are gone."""
        ...


@dataclass(frozen=True, slots=True)
class Installed:
    """What a person is told of an installed tool."""

    path: str
    version: str
    solver: str
    """Name and version, and where it is if it is not the tool's own."""
    install: str
    """The command, or the steps, that get the tool."""
    notes: tuple[str, ...] = ()
    """What should be mended, such as an unsuitable solver."""


class Adapter(Protocol):
    """One installed tool of one language."""

    language: str
    known_good: str
    """A small program that verifies wherever the tool works: readiness, and who is at fault for a crash."""
    hostile: tuple[str, ...]
    """Programs that try to crash, deceive, exhaust or leave the tool; ``bench --soak`` mixes them in."""

    def identity(self) -> ToolIdentity:
        """Version, solver and flags; part of every cache key and record."""
        ...

    def installed(self) -> Installed:
        """Where it is and what is to be known of it, for ``doctor``."""
        ...

    def start_worker(self, sandbox: Sandbox, memory_bytes: int, cpus: tuple[int, ...]) -> Worker:
        """A ready worker.

        Raises:
            WorkerFault: the tool did not become ready.
        """
        ...

    def execute(self, sandbox: Sandbox, program: str, calls: str, limits: ExecutionLimits) -> RunResult:
        """Run calls against a program (the ``run`` action)."""
        ...
