"""How fast verifiers are, and whether they agree: the measurements behind ``verulaw-rl bench verifier``.

Every figure is wall time as a caller of the pool sees it, without a cache unless it is the cache that is
measured. Ratios come from one run over the same programs, one after the other, so a busy machine slows both
sides alike. Nothing here knows a language.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from verulaw_rl.verification.adapter import Adapter, Installed, Worker
from verulaw_rl.verification.cache import MemoryCache, VerdictCache, cache_key, cacheable
from verulaw_rl.verification.disk_cache import FILE, DiskCache
from verulaw_rl.verification.execution import ExecutionLimits, RunResult
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.processes import process_tree, resident_bytes
from verulaw_rl.verification.registry import get_adapter
from verulaw_rl.verification.sandbox import Sandbox
from verulaw_rl.verification.seat import FindAdapter
from verulaw_rl.verification.verdict import Limits, Status, Times, ToolIdentity, Verdict, VerifyRequest

Progress = Callable[[int, int], None]

CALLERS = 8
"""Threads that ask at once when verdicts under load are compared."""
WARM_UP = 20
"""Programs that each worker has verified before anything is timed: the runtimes under the tools compile at run time
what runs often. A worker lives for hundreds."""
SIMULATED_WORKERS = 256


@dataclass(frozen=True, slots=True)
class Pass:
    """All programs verified once."""

    verdicts: tuple[Verdict, ...]
    seconds: tuple[float, ...]
    """Wall time of each call, queueing included."""
    wall_s: float

    @property
    def median_s(self) -> float:
        """Of the calls."""
        return statistics.median(self.seconds)

    def only(self, kept: Sequence[int]) -> Pass:
        """The calls at some places."""
        verdicts, seconds = tuple(self.verdicts[i] for i in kept), tuple(self.seconds[i] for i in kept)
        return Pass(verdicts, seconds, sum(seconds))


@dataclass(frozen=True, slots=True)
class Overhead:
    """What the pool itself costs, with a worker that answers at once."""

    call_s: float
    """Median of one caller's calls, one after the other."""
    calls_per_s: float
    """With :data:`SIMULATED_WORKERS` workers and as many calls out at once."""


@dataclass(frozen=True, slots=True)
class Soak:
    """Many verifications, one in ten of a hostile program."""

    calls: int
    lost: int
    """Calls without a verdict."""
    statuses: dict[str, int]
    rss_first_mb: float
    """Mean resident memory of this process and all below it, in the second fifth of the calls."""
    rss_last_mb: float
    """The same in the last fifth."""
    survivors: int
    """Processes left when the pool was closed."""
    wall_s: float


def no_cache() -> VerdictCache:
    """For a pool that asks the tool every time."""
    return MemoryCache(0)


cold: FindAdapter = partial(get_adapter, warm=False)
"""The tool started anew for every program."""


def verify_all(
    language: str,
    programs: Sequence[str],
    limits: Limits,
    settings: PoolSettings,
    *,
    callers: int = 1,
    warm_up: int = WARM_UP,
    find_adapter: FindAdapter = get_adapter,
    progress: Progress = lambda done, total: None,
) -> Pass:
    """Verify each program once on a pool of its own, whose workers have verified something before.

    Args:
        language: of the programs.
        programs: their texts, all different.
        limits: of each call.
        settings: of the pool.
        callers: threads that ask, each waiting for its answer; calls of one program are never joined.
        warm_up: how many of the programs each worker has verified before (about: whichever is free takes the next).
        find_adapter: which way to use the tool.
        progress: called with programs done and their total.
    """
    with (
        Pool(settings, cache=no_cache(), find_adapter=find_adapter) as pool,
        ThreadPoolExecutor(callers) as threads,
    ):
        requests = [
            VerifyRequest(language, _apart(p, n), limits) for n in range(pool.workers) for p in programs[:warm_up]
        ]
        for future in [pool.submit(request) for request in requests]:
            future.result()

        def timed(program: str) -> tuple[Verdict, float]:
            began = time.perf_counter()
            return pool.verify(VerifyRequest(language, program, limits)), time.perf_counter() - began

        began = time.perf_counter()
        results = []
        for result in threads.map(timed, programs):
            results.append(result)
            progress(len(results), len(programs))
        wall_s = time.perf_counter() - began
    return Pass(tuple(v for v, _ in results), tuple(s for _, s in results), wall_s)


def _apart(program: str, n: int) -> str:
    """The program as a text of its own, so that calls in flight are not joined."""
    return program + "\n" * (n % 64)


def from_cache(language: str, programs: Sequence[str], limits: Limits, verdicts: Sequence[Verdict]) -> Pass:
    """Ask for verdicts that a disk cache holds; those that are never kept (timeouts) are left out of the times."""
    with tempfile.TemporaryDirectory() as folder, closing(DiskCache(Path(folder) / FILE, 2**30)) as cache:
        identity = get_adapter(language).identity()
        requests = [VerifyRequest(language, program, limits) for program in programs]
        for request, verdict in zip(requests, verdicts, strict=True):
            if cacheable(verdict):
                cache.put(cache_key(request, identity), verdict)
        found, seconds = [], []
        with Pool(PoolSettings(workers=1), cache=cache) as pool:
            for request, verdict in zip(requests, verdicts, strict=True):
                if not cacheable(verdict):
                    found.append(verdict)
                    continue
                began = time.perf_counter()
                found.append(pool.verify(request))
                seconds.append(time.perf_counter() - began)
    return Pass(tuple(found), tuple(seconds), sum(seconds))


def differing(names: Sequence[str], one: Sequence[Verdict], other: Sequence[Verdict]) -> list[str]:
    """Names of the programs on which two passes disagree in anything but times and the cache."""
    return [n for n, a, b in zip(names, one, other, strict=True) if not _agree(a, b)]


def verified_within(passed: Pass, seconds: float) -> list[int]:
    """Places of the programs that verified in so much wall time."""
    return [
        i
        for i, (verdict, s) in enumerate(zip(passed.verdicts, passed.seconds, strict=True))
        if verdict.status is Status.VERIFIED and s <= seconds
    ]


def _agree(one: Verdict, other: Verdict) -> bool:
    """Whether two verdicts say the same, in all that both of them say: a command line may tell less."""
    one, other = _said(one), _said(other)
    if bool(one.declarations) != bool(other.declarations):
        one, other = _printed(one), _printed(other)
    return one == other


def _said(verdict: Verdict) -> Verdict:
    return replace(verdict, cached=False, times=Times(), sandbox="")


def _printed(verdict: Verdict) -> Verdict:
    """Without what a tool that does not name the declarations it has checked leaves out."""
    diagnostics = tuple(replace(d, related=()) for d in verdict.diagnostics)
    return replace(verdict, declarations=(), verified_count=None, message="", diagnostics=diagnostics)


class _AtOnce:
    """A worker that answers at once, and its own adapter."""

    language = "at-once"
    known_good = ""
    hostile: tuple[str, ...] = ()
    usable = True
    _tool = ToolIdentity("at-once", "0", "")

    def identity(self) -> ToolIdentity:
        return self._tool

    def installed(self) -> Installed:
        return Installed("", "0", "", "")

    def start_worker(self, sandbox: Sandbox, memory_bytes: int, cpus: tuple[int, ...]) -> Worker:
        return self

    def verify(self, program: str, limits: Limits) -> Verdict:
        return Verdict(Status.VERIFIED, (), True, self._tool)

    def execute(self, sandbox: Sandbox, program: str, calls: str, limits: ExecutionLimits) -> RunResult:
        return RunResult("unavailable", "")

    def end(self) -> None:
        pass

    def close(self) -> None:
        pass


def pool_overhead(calls: int = 4000) -> Overhead:
    """The pool's own time."""

    def find_adapter(language: str) -> Adapter:
        return _AtOnce()

    seconds = []
    limits = Limits()
    with Pool(PoolSettings(workers=1), cache=no_cache(), find_adapter=find_adapter) as pool:
        for n in range(calls // 8):
            began = time.perf_counter()
            pool.verify(VerifyRequest("at-once", str(n), limits))
            seconds.append(time.perf_counter() - began)
    with Pool(PoolSettings(workers=SIMULATED_WORKERS), cache=no_cache(), find_adapter=find_adapter) as pool:
        began = time.perf_counter()
        for future in [pool.submit(VerifyRequest("at-once", str(n), limits)) for n in range(calls)]:
            future.result()
        rate = calls / (time.perf_counter() - began)
    return Overhead(statistics.median(seconds), rate)


def soak(
    language: str,
    programs: Sequence[str],
    calls: int,
    limits: Limits,
    settings: PoolSettings,
    progress: Progress = lambda done, total: None,
) -> Soak:
    """Verify programs over and over, every tenth a hostile one, and watch the memory of all processes."""
    hostile = get_adapter(language).hostile
    me = os.getpid()
    before = set(process_tree(me))
    statuses: Counter[str] = Counter()
    memory: list[int] = []
    began = time.perf_counter()

    def text(n: int) -> str:
        return _apart(hostile[n // 10 % len(hostile)] if n % 10 == 9 else programs[n % len(programs)], n)

    with Pool(settings, cache=no_cache()) as pool:
        out: set[Future[Verdict]] = set()
        for n in range(calls):
            out.add(pool.submit(VerifyRequest(language, text(n), limits)))
            while len(out) >= (2 * pool.workers if n + 1 < calls else 1):
                done, out = wait(out, return_when=FIRST_COMPLETED)
                for future in done:
                    error = future.exception()
                    statuses["lost" if error else future.result().status.value] += 1
                    memory.append(resident_bytes(process_tree(me)))
                    progress(len(memory), calls)
    fifth = max(1, calls // 5)
    survivors = set(process_tree(me)) - before
    return Soak(
        calls=calls,
        lost=statuses.pop("lost", 0) + calls - len(memory),
        statuses=dict(statuses),
        rss_first_mb=statistics.mean(memory[fifth : 2 * fifth] or memory) / 2**20,
        rss_last_mb=statistics.mean(memory[-fifth:]) / 2**20,
        survivors=len(survivors),
        wall_s=time.perf_counter() - began,
    )
