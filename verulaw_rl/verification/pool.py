"""Programs in, Verdicts out, many at once: the one door to the verifiers.

A :class:`Pool` has a thread for each seat (``verification.seat``), on this machine or on a Ray cluster.
Callers from any thread submit requests and wait, or await (``asyncio.wrap_future``): requests queue until a
seat is free, identical ones in flight are joined, settled verdicts are remembered. A call that nobody waits
for any more is broken off. What a program does to its worker is a Verdict, never an exception; a seat whose
machine is gone hands its call to another.
"""

from __future__ import annotations

import atexit
import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from types import TracebackType
from typing import Literal, Self

from verulaw_rl.verification.cache import MemoryCache, VerdictCache, cache_key, cacheable
from verulaw_rl.verification.execution import ExecutionLimits, RunResult
from verulaw_rl.verification.registry import get_adapter
from verulaw_rl.verification.sandbox import detect_sandbox
from verulaw_rl.verification.seat import AbandonedError, FindAdapter, LocalSeats, Seat, SeatLostError, Seats
from verulaw_rl.verification.verdict import Limits, Status, Times, ToolIdentity, Verdict, VerifyRequest

log = logging.getLogger(__name__)

_MOVES = 3
"""Seats that a call may lose before it is given up: a program could be what ends them."""


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """How a pool works."""

    workers: int = 0
    """Verifications at once; 0 for as many as cores and memory carry."""
    memory_bytes: int = Limits().memory_bytes
    """Limit of a worker, by which they are counted; a call's own limit holds for the call."""
    sandbox: Literal["auto", "bwrap", "none"] = "auto"
    backend: Literal["local", "ray"] = "local"
    """Where the seats are."""
    ray_address: str = "auto"
    """Of the cluster, for ``ray``."""
    cache_entries: int = 10_000
    """Verdicts remembered in memory where the pool is given no cache; 0 for none."""


@dataclass(slots=True, eq=False)
class _Job:
    """One verification that one or more callers wait for."""

    request: VerifyRequest
    key: str
    submitted: float
    waiting: list[Future[Verdict]] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)
    """Nobody waits any more."""
    seat: Seat | None = None
    """Where it is being verified."""
    moves: int = 0


@dataclass(slots=True, eq=False)
class _Execution:
    """One run of a program that one caller waits for."""

    run: Callable[[Seat, threading.Event], RunResult]
    result: Future[RunResult] = field(default_factory=Future)
    stop: threading.Event = field(default_factory=threading.Event)
    seat: Seat | None = None
    moves: int = 0


class Pool:
    """Verifies programs on several seats. Thread-safe. Use as a context manager, or :meth:`close` it.

    Args:
        settings: the defaults when absent.
        cache: of verdicts; one in memory when absent.
        find_adapter: gives the tool of a language.

    Raises:
        UserError: the sandbox that was insisted on does not work, or there is no Ray cluster at the address.
    """

    def __init__(
        self,
        settings: PoolSettings | None = None,
        *,
        cache: VerdictCache | None = None,
        find_adapter: FindAdapter = get_adapter,
    ) -> None:
        self.settings = settings or PoolSettings()
        self._seats = _make_seats(self.settings, find_adapter)
        self.workers = self._seats.workers
        self.sandbox = self._seats.sandbox
        self._cache: VerdictCache = cache or MemoryCache(self.settings.cache_entries)
        self._identities: dict[str, ToolIdentity] = {}
        self._jobs: dict[str, _Job] = {}
        self._executions: set[_Execution] = set()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._tasks: queue.SimpleQueue[_Job | _Execution | None] = queue.SimpleQueue()
        self._without_seat: set[int] = set()
        # A worker's processes are children of its thread and end with it.
        self._threads = [
            threading.Thread(target=self._serve, args=(n,), name=f"verify-{n}", daemon=True)
            for n in range(self.workers)
        ]
        for thread in self._threads:
            thread.start()
        # Without namespaces nothing else would end the workers of a pool that was never closed.
        atexit.register(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def identity(self, language: str) -> ToolIdentity:
        """Which tool verifies programs of a language.

        Raises:
            UserError: no such language, or its tool is missing or unsupported.
        """
        with self._lock:
            if language not in self._identities:
                self._identities[language] = self._seats.identity(language)
            return self._identities[language]

    def verify(self, request: VerifyRequest) -> Verdict:
        """The verdict on one program, waiting for it.

        Raises:
            UserError: no such language, or its tool is missing or unsupported.
        """
        return self.submit(request).result()

    def submit(self, request: VerifyRequest) -> Future[Verdict]:
        """Ask for a verdict. Cancelling the future, at any time, breaks the call off if nobody else waits for it.

        Raises:
            UserError: no such language, or its tool is missing or unsupported.
        """
        if self._closing.is_set():
            raise RuntimeError("the pool is closed")
        key = cache_key(request, self.identity(request.language))
        future: Future[Verdict] = Future()
        if (known := self._cache.get(key)) is not None:
            future.set_result(replace(known, cached=True, times=Times()))
            return future
        with self._lock:
            if self._closing.is_set():
                raise RuntimeError("the pool is closed")
            job = self._jobs.get(key)
            if job is None:
                job = self._jobs[key] = _Job(request, key, time.monotonic())
                self._tasks.put(job)
            job.waiting.append(future)
        future.add_done_callback(partial(self._dropped, job))
        return future

    def execute(self, language: str, program: str, calls: str, limits: ExecutionLimits | None = None) -> RunResult:
        """Run ``calls`` against a program and say what it printed; waits for one of the seats.

        Raises:
            UserError: no such language, or its tool is missing or unsupported.
        """
        return self.submit_execution(language, program, calls, limits).result()

    def submit_execution(
        self, language: str, program: str, calls: str, limits: ExecutionLimits | None = None
    ) -> Future[RunResult]:
        """Ask for a run of ``calls`` against a program; cancelling the future stops it. Raises as :meth:`submit`."""
        self.identity(language)
        bounds = limits or ExecutionLimits()
        execution = _Execution(lambda seat, stop: seat.execute(language, program, calls, bounds, stop))
        with self._lock:
            if self._closing.is_set():
                raise RuntimeError("the pool is closed")
            self._executions.add(execution)
            self._tasks.put(execution)
        execution.result.add_done_callback(partial(self._dropped_execution, execution))
        return execution.result

    def close(self) -> None:
        """Drop what waits, stop what runs, and return when no process of the pool is left."""
        atexit.unregister(self.close)
        with self._lock:
            first = not self._closing.is_set()
            self._closing.set()
            for job in self._jobs.values():
                self._break_off(job)
            for execution in self._executions:
                self._break_off(execution)
        if first:
            for _ in self._threads:
                self._tasks.put(None)
        for thread in self._threads:
            thread.join()
        while first and not self._tasks.empty():
            if (task := self._tasks.get()) is not None:
                self._fail(task, RuntimeError("the pool was closed"))
        if first:
            self._seats.close()

    def _serve(self, number: int) -> None:
        """The life of a thread: get a seat, and use it until it is lost or the pool closes."""
        seat: Seat | None = None
        while not self._closing.is_set():
            if seat is None and (seat := self._open(number)) is None:
                continue
            task = self._tasks.get()
            if task is None:
                break
            try:
                if isinstance(task, _Job):
                    self._run(task, seat)
                else:
                    self._execute(task, seat)
            except SeatLostError as lost:
                log.warning("a verifier's seat was lost (%s); its call goes to another", lost)
                seat.close()
                seat = None
                task.moves += 1
                if task.moves < _MOVES:
                    self._tasks.put(task)
                else:
                    self._give_up(task, f"{_MOVES} seats were lost with this call: {lost}")
        if seat is not None:
            seat.close()

    def _open(self, number: int) -> Seat | None:
        try:
            seat = self._seats.open(number, self._closing)
        except SeatLostError as why:
            with self._lock:
                self._without_seat.add(number)
                nobody = len(self._without_seat) == self.workers
            # While others serve, what waits is theirs; when nobody has a seat, it would wait forever.
            while nobody and not self._closing.is_set():
                try:
                    task = self._tasks.get_nowait()
                except queue.Empty:
                    break
                if task is not None:
                    self._give_up(task, str(why))
            return None
        with self._lock:
            self._without_seat.discard(number)
        return seat

    def _run(self, job: _Job, seat: Seat) -> None:
        if not self._begin(job, seat):
            return
        queue_s = time.monotonic() - job.submitted
        try:
            verdict = seat.verify(job.request, job.stop)
            verdict = replace(verdict, times=replace(verdict.times, queue_s=queue_s))
            if cacheable(verdict):
                self._cache.put(job.key, verdict)
        except SeatLostError:
            self._leave(job)
            raise
        except AbandonedError:
            self._fail(job, RuntimeError("the pool was closed"))
            return
        except BaseException as e:
            self._fail(job, e)
            return
        self._answer(job, verdict)

    def _execute(self, execution: _Execution, seat: Seat) -> None:
        if not self._begin(execution, seat):
            return
        try:
            result = execution.run(seat, execution.stop)
        except SeatLostError:
            self._leave(execution)
            raise
        except AbandonedError:
            self._fail(execution, RuntimeError("the pool was closed"))
            return
        except BaseException as e:
            self._fail(execution, e)
            return
        self._answer_execution(execution, result)

    def _begin(self, task: _Job | _Execution, seat: Seat) -> bool:
        """Note where a task runs, so that it can be broken off there; false where nobody wants it any more."""
        with self._lock:
            if not (stopped := task.stop.is_set()):
                task.seat = seat
        if stopped:
            self._fail(task, RuntimeError("the pool was closed"))
        return not stopped

    def _leave(self, task: _Job | _Execution) -> None:
        with self._lock:
            task.seat = None

    def _answer(self, job: _Job, verdict: Verdict) -> None:
        for future in self._finish(job):
            if future.set_running_or_notify_cancel():
                future.set_result(verdict)

    def _answer_execution(self, execution: _Execution, result: RunResult) -> None:
        self._finish_execution(execution)
        if execution.result.set_running_or_notify_cancel():
            execution.result.set_result(result)

    def _fail(self, task: _Job | _Execution, error: BaseException) -> None:
        futures: Sequence[Future[Verdict] | Future[RunResult]]
        if isinstance(task, _Job):
            futures = self._finish(task)
        else:
            self._finish_execution(task)
            futures = [task.result]
        for future in futures:
            if future.set_running_or_notify_cancel():
                future.set_exception(error)

    def _give_up(self, task: _Job | _Execution, why: str) -> None:
        """Answer without a tool: the fault is the machine's."""
        if isinstance(task, _Job):
            tool = self.identity(task.request.language)
            self._answer(task, Verdict(Status.ERROR, (), False, tool, message=why, sandbox=self.sandbox.mode))
        else:
            self._answer_execution(task, RunResult("unavailable", "", why, sandbox=self.sandbox.mode))

    def _finish(self, job: _Job) -> list[Future[Verdict]]:
        """Take a job out, so that no one joins it any more; who waits for it."""
        with self._lock:
            job.seat = None
            if self._jobs.get(job.key) is job:
                del self._jobs[job.key]
            return job.waiting

    def _finish_execution(self, execution: _Execution) -> None:
        with self._lock:
            execution.seat = None
            self._executions.discard(execution)

    def _dropped_execution(self, execution: _Execution, future: Future[RunResult]) -> None:
        if future.cancelled():
            with self._lock:
                self._break_off(execution)

    def _dropped(self, job: _Job, future: Future[Verdict]) -> None:
        """Break a job off when the last who waited has cancelled."""
        if not future.cancelled():
            return
        with self._lock:
            if self._jobs.get(job.key) is job and all(f.cancelled() for f in job.waiting):
                del self._jobs[job.key]
                self._break_off(job)

    def _break_off(self, task: _Job | _Execution) -> None:
        """With the lock held, so that the seat is still this task's."""
        task.stop.set()
        if task.seat is not None:
            task.seat.end()


def _make_seats(settings: PoolSettings, find_adapter: FindAdapter) -> Seats:
    if settings.backend == "local":
        sandbox = detect_sandbox(settings.sandbox)
        return LocalSeats(settings.workers, settings.memory_bytes, sandbox, find_adapter)
    from verulaw_rl.verification.ray_seats import RaySeats

    return RaySeats(settings.ray_address, settings.workers, settings.memory_bytes, settings.sandbox, find_adapter)
