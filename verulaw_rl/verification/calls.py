"""The calls of one owner, such as an episode: its door to a pool, which can be shut while calls are under way."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import Any, TypeVar

from verulaw_rl.verification.execution import ExecutionLimits, RunResult
from verulaw_rl.verification.pool import Pool
from verulaw_rl.verification.verdict import Verdict, VerifyRequest

T = TypeVar("T")


class Calls:
    """Verifies and runs programs on a pool for one owner. Thread-safe.

    After :meth:`cancel`, every call under way and every later one raises :class:`concurrent.futures.CancelledError`.

    Args:
        pool: gives the running pool; asked at each call, so that it may start at the first.
    """

    def __init__(self, pool: Callable[[], Pool]) -> None:
        self._pool = pool
        self._lock = threading.Lock()
        self._cancelled = False
        self._open: set[Future[Any]] = set()

    def verify(self, request: VerifyRequest) -> Verdict:
        """As :meth:`Pool.verify`."""
        return self._wait(lambda: self._pool().submit(request))

    def execute(self, language: str, program: str, calls: str, limits: ExecutionLimits | None = None) -> RunResult:
        """As :meth:`Pool.execute`."""
        return self._wait(lambda: self._pool().submit_execution(language, program, calls, limits))

    def cancel(self) -> None:
        """Break off what is under way (unless others wait for the same) and refuse what comes; from any thread."""
        with self._lock:
            self._cancelled = True
            calls = tuple(self._open)
        for call in calls:
            call.cancel()

    def _wait(self, submit: Callable[[], Future[T]]) -> T:
        with self._lock:
            if self._cancelled:
                raise CancelledError
        call = submit()
        with self._lock:
            self._open.add(call)
            late = self._cancelled
        if late:
            call.cancel()
        try:
            return call.result()
        finally:
            with self._lock:
                self._open.discard(call)
