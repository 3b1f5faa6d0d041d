"""One place at which programs are verified, one at a time: a warm worker per language, replaced when it breaks.

Here a call's fate is decided: a worker that dies, hangs or answers nonsense is replaced and the call tried
once more; if the program breaks a fresh worker too while a known good program verifies there, the fault is
the program's, else the machine's. Either way it is a Verdict with status ``error``. The pool has a thread
for each seat; where seats are on other machines (``verification.ray_seats``), the same code runs there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from verulaw_rl.verification.adapter import Adapter, Worker, WorkerFault
from verulaw_rl.verification.execution import ExecutionLimits, RunResult
from verulaw_rl.verification.machine import cpu_window, workers_by_resources
from verulaw_rl.verification.processes import Contained
from verulaw_rl.verification.sandbox import Sandbox
from verulaw_rl.verification.verdict import Limits, Status, ToolIdentity, Verdict, VerifyRequest

FindAdapter = Callable[[str], Adapter]
"""Gives the adapter of a language; raises :class:`~verulaw_rl.errors.UserError` where there is none."""


class SeatLostError(Exception):
    """The seat is gone with its machine; the call belongs to another."""


class AbandonedError(Exception):
    """Nobody waits for the call any more, or the pool is closing."""


class Seat(Protocol):
    """Verifies one program at a time."""

    def verify(self, request: VerifyRequest, stop: threading.Event) -> Verdict:
        """The verdict on a program, whatever it does to its worker.

        Args:
            request: the program and its limits.
            stop: set, before :meth:`end` is called, by who wants it no more.

        Raises:
            AbandonedError: ``stop`` was set.
            SeatLostError: the seat's machine is gone.
            UserError: no such language, or its tool is missing or unsupported.
        """
        ...

    def execute(
        self, language: str, program: str, calls: str, limits: ExecutionLimits, stop: threading.Event
    ) -> RunResult:
        """Run calls against a program; raises as :meth:`verify`."""
        ...

    def end(self) -> None:
        """Break off what is being verified; from any thread."""
        ...

    def close(self) -> None:
        """End every process of the seat and wait until they are gone."""
        ...


class Seats(Protocol):
    """Where the seats of a pool are."""

    workers: int
    sandbox: Sandbox

    def identity(self, language: str) -> ToolIdentity:
        """Which tool verifies programs of a language; raises as :meth:`Seat.verify`."""
        ...

    def open(self, number: int, closing: threading.Event) -> Seat:
        """A seat that is ready, called by the thread that will use it.

        Raises:
            SeatLostError: there is no room for one, or ``closing`` was set.
        """
        ...

    def close(self) -> None:
        """Let go of what the seats shared, after each of them was closed."""
        ...


class LocalSeat:
    """A seat of this process. Its workers are children of the thread that verifies."""

    def __init__(self, find_adapter: FindAdapter, sandbox: Sandbox, cpus: tuple[int, ...]) -> None:
        self._find_adapter = find_adapter
        self._sandbox = sandbox
        self._cpus = cpus
        self._adapters: dict[str, Adapter] = {}
        self._workers: dict[str, tuple[int, Worker]] = {}
        """By language: the memory limit that it was started with, and the worker."""
        self._busy: Worker | Contained | None = None

    def verify(self, request: VerifyRequest, stop: threading.Event) -> Verdict:
        """The verdict on a program; a call that breaks its worker is tried once more on a fresh one."""
        adapter = self._adapter(request.language)
        limits = request.limits
        said = ""
        for attempt in range(2):
            try:
                return self._try(adapter, request.program, limits, stop, fresh=attempt > 0)
            except (WorkerFault, OSError) as fault:
                said = str(fault)
                if stop.is_set():
                    raise AbandonedError from None
        try:
            known_good = self._try(adapter, adapter.known_good, limits, stop, fresh=True)
            works = known_good.status is Status.VERIFIED
        except (WorkerFault, OSError):
            works = False
        return Verdict(
            status=Status.ERROR,
            diagnostics=(),
            complete=False,
            tool=adapter.identity(),
            message=said,
            program_fault=works,
            sandbox=self._sandbox.mode,
        )

    def execute(
        self, language: str, program: str, calls: str, limits: ExecutionLimits, stop: threading.Event
    ) -> RunResult:
        """Run calls against a program."""

        def started(process: Contained) -> None:
            self._busy = process
            if stop.is_set():
                process.end()

        try:
            sandbox = replace(self._sandbox, started=started)
            result = self._adapter(language).execute(sandbox, program, calls, limits)
        finally:
            self._busy = None
        if stop.is_set():
            raise AbandonedError
        return result

    def end(self) -> None:
        """End the worker or process in use; the call it is in raises."""
        busy = self._busy
        if busy is not None:
            busy.end()

    def close(self) -> None:
        """End all workers."""
        for language in tuple(self._workers):
            self._drop(language)

    def _adapter(self, language: str) -> Adapter:
        if language not in self._adapters:
            self._adapters[language] = self._find_adapter(language)
        return self._adapters[language]

    def _try(self, adapter: Adapter, program: str, limits: Limits, stop: threading.Event, *, fresh: bool) -> Verdict:
        worker = self._worker(adapter, limits.memory_bytes, fresh=fresh)
        self._busy = worker
        try:
            # After it may be ended from outside: a stop from before would otherwise be missed.
            if stop.is_set():
                raise AbandonedError
            return worker.verify(program, limits)
        finally:
            self._busy = None

    def _worker(self, adapter: Adapter, memory_bytes: int, *, fresh: bool) -> Worker:
        """The worker for a language, started anew where there is none that will do."""
        kept_memory, worker = self._workers.get(adapter.language, (0, None))
        if worker is not None and not fresh and kept_memory == memory_bytes and worker.usable:
            return worker
        if worker is not None:
            self._drop(adapter.language)
        worker = adapter.start_worker(self._sandbox, memory_bytes, self._cpus)
        self._workers[adapter.language] = (memory_bytes, worker)
        return worker

    def _drop(self, language: str) -> None:
        _, worker = self._workers.pop(language)
        with suppress(OSError):
            worker.close()


class LocalSeats:
    """Seats of this process, as many as cores and memory carry unless a number is given."""

    def __init__(self, workers: int, memory_bytes: int, sandbox: Sandbox, find_adapter: FindAdapter) -> None:
        self.workers = workers or workers_by_resources(memory_bytes)
        self.sandbox = sandbox
        self._find_adapter = find_adapter

    def identity(self, language: str) -> ToolIdentity:
        """Which tool is installed here."""
        return self._find_adapter(language).identity()

    def open(self, number: int, closing: threading.Event) -> Seat:
        """A seat; its workers start at the first program."""
        return LocalSeat(self._find_adapter, self.sandbox, cpu_window(number))

    def close(self) -> None:
        """Nothing is shared."""
