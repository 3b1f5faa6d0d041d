"""Programs in, Verdicts out, many at once: the one door to the verifiers.

A :class:`Pool` keeps as many worker threads as there are cores, each with its own warm worker per
language. Callers from any thread submit requests; identical ones in flight are joined, settled
verdicts are remembered. A worker that breaks is replaced and the call tried once more; if the
program breaks a fresh worker too while a known good program verifies there, the fault is the
program's, else the machine's: either way a Verdict with status ``error``, never an exception.
"""

from __future__ import annotations

import atexit
import itertools
import os
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Literal, Self

from verulaw_rl.verification.adapter import Adapter, Worker, WorkerFault
from verulaw_rl.verification.cache import MemoryCache, VerdictCache, cache_key, cacheable
from verulaw_rl.verification.execution import ExecutionLimits, RunResult
from verulaw_rl.verification.registry import get_adapter
from verulaw_rl.verification.sandbox import Sandbox, detect_sandbox
from verulaw_rl.verification.verdict import Limits, Status, Times, ToolIdentity, Verdict, VerifyRequest

_CPUS_PER_WORKER = 3
"""Dafny's server runs half as many solvers as it sees processors: with three it runs one, as the limits assume."""


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """How a pool works."""

    workers: int = 0
    """Verifications at once; 0 takes the number of cores this process may use."""
    sandbox: Literal["auto", "bwrap", "none"] = "auto"
    cache_entries: int = 10_000
    """Verdicts remembered; 0 for none."""


@dataclass(slots=True)
class _Job:
    """One verification that one or more callers wait for."""

    request: VerifyRequest
    key: str
    submitted: float
    waiting: list[Future[Verdict]] = field(default_factory=list)
    started: bool = False


class Pool:
    """Verifies programs on several workers. Thread-safe. Use as a context manager, or :meth:`close` it."""

    def __init__(self, settings: PoolSettings | None = None, *, cache: VerdictCache | None = None) -> None:
        self.settings = settings or PoolSettings()
        self.workers = self.settings.workers or len(os.sched_getaffinity(0))
        self.sandbox: Sandbox = detect_sandbox(self.settings.sandbox)
        self._cache: VerdictCache = cache or MemoryCache(self.settings.cache_entries)
        self._adapters: dict[str, tuple[Adapter, ToolIdentity]] = {}
        self._jobs: dict[str, _Job] = {}
        self._lock = threading.Lock()
        self._held: set[Worker] = set()
        self._mine = threading.local()
        self._seats = itertools.count()
        self._closing = False
        # The worker threads also are the parents of the workers' processes, which end with them.
        self._threads = ThreadPoolExecutor(self.workers, thread_name_prefix="verify")
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
        return self._adapter(language)[1]

    def verify(self, request: VerifyRequest) -> Verdict:
        """The verdict on one program, waiting for it.

        Raises:
            UserError: no such language, or its tool is missing or unsupported.
        """
        return self.submit(request).result()

    def submit(self, request: VerifyRequest) -> Future[Verdict]:
        """Ask for a verdict. Cancelling the future of a request that still waits for a worker drops it.

        Raises:
            UserError: no such language, or its tool is missing or unsupported.
        """
        if self._closing:
            raise RuntimeError("the pool is closed")
        key = cache_key(request, self.identity(request.language))
        future: Future[Verdict] = Future()
        if (known := self._cache.get(key)) is not None:
            future.set_result(replace(known, cached=True, times=Times()))
            return future
        with self._lock:
            if self._closing:
                raise RuntimeError("the pool is closed")
            job = self._jobs.get(key)
            if job is None:
                job = self._jobs[key] = _Job(request, key, time.monotonic())
                self._threads.submit(self._run, job)
            job.waiting.append(future)
            if job.started:
                future.set_running_or_notify_cancel()
        return future

    def execute(self, language: str, program: str, calls: str, limits: ExecutionLimits | None = None) -> RunResult:
        """Run ``calls`` against a program and say what it printed; waits for one of the workers' threads.

        Raises:
            UserError: no such language, or its tool is missing or unsupported.
        """
        adapter, _ = self._adapter(language)
        return self._threads.submit(adapter.execute, self.sandbox, program, calls, limits or ExecutionLimits()).result()

    def close(self) -> None:
        """Drop what waits, stop what runs, and return when no process of the pool is left."""
        atexit.unregister(self.close)
        with self._lock:
            self._closing = True
            held = tuple(self._held)
        for worker in held:
            worker.end()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for worker in tuple(self._held):
            worker.close()
            self._held.discard(worker)
        with self._lock:
            left = [f for job in self._jobs.values() for f in job.waiting]
            self._jobs.clear()
        for future in left:
            future.cancel()

    def _adapter(self, language: str) -> tuple[Adapter, ToolIdentity]:
        with self._lock:
            if language not in self._adapters:
                adapter = get_adapter(language)
                self._adapters[language] = (adapter, adapter.identity())
            return self._adapters[language]

    def _run(self, job: _Job) -> None:
        with self._lock:
            job.started = True
            job.waiting = [f for f in job.waiting if f.set_running_or_notify_cancel()]
            if not job.waiting or self._closing:
                self._jobs.pop(job.key, None)
                for future in job.waiting:
                    future.set_exception(RuntimeError("the pool was closed"))
                return
        queue_s = time.monotonic() - job.submitted
        try:
            verdict = self._verify(job.request)
            verdict = replace(verdict, times=replace(verdict.times, queue_s=queue_s))
            if cacheable(verdict):
                self._cache.put(job.key, verdict)
        except BaseException as e:
            for future in self._finish(job):
                future.set_exception(e)
            return
        for future in self._finish(job):
            future.set_result(verdict)

    def _finish(self, job: _Job) -> list[Future[Verdict]]:
        with self._lock:
            self._jobs.pop(job.key, None)
            return job.waiting

    def _verify(self, request: VerifyRequest) -> Verdict:
        adapter, identity = self._adapter(request.language)
        limits = request.limits
        said = ""
        for attempt in range(2):
            try:
                return self._worker(adapter, limits, fresh=attempt > 0).verify(request.program, limits)
            except (WorkerFault, OSError) as fault:
                said = str(fault)
                if self._closing:
                    raise RuntimeError("the pool was closed") from None
        return Verdict(
            status=Status.ERROR,
            diagnostics=(),
            complete=False,
            tool=identity,
            message=said,
            program_fault=self._tool_works(adapter, limits),
            sandbox=self.sandbox.mode,
        )

    def _tool_works(self, adapter: Adapter, limits: Limits) -> bool:
        try:
            worker = self._worker(adapter, limits, fresh=True)
            return worker.verify(adapter.known_good, limits).status is Status.VERIFIED
        except (WorkerFault, OSError):
            return False

    def _worker(self, adapter: Adapter, limits: Limits, *, fresh: bool) -> Worker:
        """This thread's worker for a language, started anew where there is none that will do."""
        mine: dict[tuple[str, int], Worker] = self._mine.__dict__.setdefault("workers", {})
        slot = (adapter.language, limits.memory_bytes)
        worker = mine.get(slot)
        if worker is not None and (fresh or not worker.usable):
            self._drop(mine, slot)
            worker = None
        if worker is None:
            for other in [s for s in mine if s[0] == adapter.language]:
                self._drop(mine, other)
            worker = adapter.start_worker(self.sandbox, limits.memory_bytes, self._cpus())
            mine[slot] = worker
            with self._lock:
                self._held.add(worker)
                closing = self._closing
            if closing:
                worker.end()
        return worker

    def _drop(self, mine: dict[tuple[str, int], Worker], slot: tuple[str, int]) -> None:
        worker = mine.pop(slot)
        with suppress(OSError):
            worker.close()
        with self._lock:
            self._held.discard(worker)

    def _cpus(self) -> tuple[int, ...]:
        """Processors of this thread's workers: a window of a few, another for each thread."""
        if not hasattr(self._mine, "seat"):
            self._mine.seat = next(self._seats)
        available = sorted(os.sched_getaffinity(0))
        if len(available) <= _CPUS_PER_WORKER:
            return ()
        first = self._mine.seat * _CPUS_PER_WORKER
        return tuple(sorted(available[(first + i) % len(available)] for i in range(_CPUS_PER_WORKER)))
