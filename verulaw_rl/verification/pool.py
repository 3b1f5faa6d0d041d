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
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from verulaw_rl.verification.cache import MemoryCache, VerdictCache, cache_key, cacheable
from verulaw_rl.verification.execution import ExecutionLimits, RunResult
from verulaw_rl.verification.registry import get_adapter
from verulaw_rl.verification.sandbox import detect_sandbox
from verulaw_rl.verification.seat import AbandonedError, FindAdapter, LocalSeats, Seat, SeatLostError, Seats
from verulaw_rl.verification.verdict import Limits, Status, Times, ToolIdentity, Verdict, VerifyRequest

log = logging.getLogger(__name__)

_Answer = TypeVar("_Answer")

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
class _Task:
    """One verification or run that one or more callers wait for."""

    work: Callable[[Seat, threading.Event], Any]
    """Does it on a seat; raises as :class:`Seat` does."""
    unavailable: Callable[[str], Any]
    """The answer when no seat can be had, from the reason."""
    key: str | None = None
    """Calls of one key are one task."""
    waiting: list[Future[Any]] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)
    """Nobody waits any more."""
    seat: Seat | None = None
    """Where it is being done."""
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
        self._tasks: set[_Task] = set()
        self._joinable: dict[str, _Task] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._queue: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
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
        self._refuse_when_closed()
        identity = self.identity(request.language)
        key = cache_key(request, identity)
        future: Future[Verdict] = Future()
        if (known := self._cache.get(key)) is not None:
            future.set_result(replace(known, cached=True, times=Times()))
            return future
        submitted = time.monotonic()

        def work(seat: Seat, stop: threading.Event) -> Verdict:
            queue_s = time.monotonic() - submitted
            verdict = seat.verify(request, stop)
            verdict = replace(verdict, times=replace(verdict.times, queue_s=queue_s))
            if cacheable(verdict):
                self._cache.put(key, verdict)
            return verdict

        def unavailable(why: str) -> Verdict:
            return Verdict(Status.ERROR, (), False, identity, message=why, sandbox=self.sandbox.mode)

        return self._submit(_Task(work, unavailable, key), future)

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

        def work(seat: Seat, stop: threading.Event) -> RunResult:
            return seat.execute(language, program, calls, bounds, stop)

        def unavailable(why: str) -> RunResult:
            return RunResult("unavailable", "", why, sandbox=self.sandbox.mode)

        return self._submit(_Task(work, unavailable), Future[RunResult]())

    def _refuse_when_closed(self) -> None:
        if self._closing.is_set():
            raise RuntimeError("the pool is closed")

    def _submit(self, task: _Task, future: Future[_Answer]) -> Future[_Answer]:
        with self._lock:
            self._refuse_when_closed()
            joined = self._joinable.get(task.key) if task.key is not None else None
            if joined is None:
                self._tasks.add(task)
                if task.key is not None:
                    self._joinable[task.key] = task
                self._queue.put(task)
            else:
                task = joined
            task.waiting.append(future)
        future.add_done_callback(partial(self._dropped, task))
        return future

    def close(self) -> None:
        """Drop what waits, stop what runs, and return when no process of the pool is left."""
        atexit.unregister(self.close)
        with self._lock:
            first = not self._closing.is_set()
            self._closing.set()
            for task in self._tasks:
                self._break_off(task)
        if first:
            for _ in self._threads:
                self._queue.put(None)
        for thread in self._threads:
            thread.join()
        while first and not self._queue.empty():
            if (waiting := self._queue.get()) is not None:
                self._fail(waiting, RuntimeError("the pool was closed"))
        if first:
            self._seats.close()

    def _serve(self, number: int) -> None:
        """The life of a thread: get a seat, and use it until it is lost or the pool closes."""
        seat: Seat | None = None
        while not self._closing.is_set():
            if seat is None and (seat := self._open(number)) is None:
                continue
            task = self._queue.get()
            if task is None:
                break
            try:
                self._run(task, seat)
            except SeatLostError as lost:
                log.warning("a verifier's seat was lost (%s); its call goes to another", lost)
                seat.close()
                seat = None
                task.moves += 1
                if task.moves < _MOVES:
                    self._queue.put(task)
                else:
                    self._answer(task, task.unavailable(f"{_MOVES} seats were lost with this call: {lost}"))
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
                    task = self._queue.get_nowait()
                except queue.Empty:
                    break
                if task is not None:
                    self._answer(task, task.unavailable(str(why)))
            return None
        with self._lock:
            self._without_seat.discard(number)
        return seat

    def _run(self, task: _Task, seat: Seat) -> None:
        with self._lock:
            # Noted, so that it can be broken off there.
            if not (stopped := task.stop.is_set()):
                task.seat = seat
        if stopped:
            self._fail(task, RuntimeError("the pool was closed"))
            return
        try:
            answer = task.work(seat, task.stop)
        except SeatLostError:
            with self._lock:
                task.seat = None
            raise
        except AbandonedError:
            self._fail(task, RuntimeError("the pool was closed"))
        except BaseException as e:
            self._fail(task, e)
        else:
            self._answer(task, answer)

    def _answer(self, task: _Task, answer: Any) -> None:
        for future in self._finish(task):
            if future.set_running_or_notify_cancel():
                future.set_result(answer)

    def _fail(self, task: _Task, error: BaseException) -> None:
        for future in self._finish(task):
            if future.set_running_or_notify_cancel():
                future.set_exception(error)

    def _finish(self, task: _Task) -> list[Future[Any]]:
        """Take a task out, so that no one joins it any more; who waits for it."""
        with self._lock:
            task.seat = None
            self._withdraw(task)
            return task.waiting

    def _dropped(self, task: _Task, future: Future[Any]) -> None:
        """Break a task off when the last who waited has cancelled."""
        if not future.cancelled():
            return
        with self._lock:
            if task in self._tasks and all(f.cancelled() for f in task.waiting):
                self._withdraw(task)
                self._break_off(task)

    def _withdraw(self, task: _Task) -> None:
        """With the lock held."""
        self._tasks.discard(task)
        if task.key is not None and self._joinable.get(task.key) is task:
            del self._joinable[task.key]

    def _break_off(self, task: _Task) -> None:
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
