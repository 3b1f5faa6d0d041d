"""Seats on the machines of a Ray cluster: each is an actor that holds one CPU and one worker's memory.

An actor runs the very code of a local seat (:class:`~verulaw_rl.verification.seat.LocalSeat`), so verdicts are
the same. Ray places actors by CPU and memory, spread over the nodes; when a node is lost its calls go to other
seats and its actors start again where there is room. ``verulaw_rl`` and the tools must be installed on every
node. :class:`~verulaw_rl.verification.pool.Pool` makes this for ``backend: ray``; nothing else needs Ray.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

import ray
from ray.exceptions import ActorUnavailableError, GetTimeoutError, RayActorError, RaySystemError, RayTaskError

from verulaw_rl.errors import UserError
from verulaw_rl.verification.execution import ExecutionLimits, RunResult
from verulaw_rl.verification.machine import cpu_window
from verulaw_rl.verification.sandbox import Sandbox, detect_sandbox
from verulaw_rl.verification.seat import FindAdapter, LocalSeat, Seat, SeatLostError
from verulaw_rl.verification.verdict import ToolIdentity, Verdict, VerifyRequest

_GONE = (RayActorError, ActorUnavailableError, RaySystemError, GetTimeoutError)

T = TypeVar("T")

PLACED_S = 60.0
"""Wall time for an actor to be placed and ready; then the cluster counts as full, and it is asked again."""

SILENT_S = 300.0
"""Wall time beyond a call's own limits after which an actor that says nothing is given up with its machine."""


class _Actor:
    """A seat in a process of Ray's. Its methods are coroutines, so that :meth:`end` is heard during :meth:`verify`."""

    def __init__(self, find_adapter: FindAdapter, sandbox: str, number: int) -> None:
        self._sandbox = detect_sandbox(sandbox)
        self._seat = LocalSeat(find_adapter, self._sandbox, cpu_window(number))
        # One thread that lives as long as the actor: a worker's processes end with the thread that started them.
        self._thread = ThreadPoolExecutor(1)
        self._stop = threading.Event()

    async def ready(self) -> str:
        """Which sandbox holds on this node."""
        return self._sandbox.mode

    async def verify(self, request: VerifyRequest) -> Verdict:
        self._stop = threading.Event()
        return await self._in_thread(self._seat.verify, request, self._stop)

    async def execute(self, language: str, program: str, calls: str, limits: ExecutionLimits) -> RunResult:
        self._stop = threading.Event()
        return await self._in_thread(self._seat.execute, language, program, calls, limits, self._stop)

    async def end(self) -> None:
        self._stop.set()
        self._seat.end()

    async def close(self) -> None:
        await self.end()
        await self._in_thread(self._seat.close)

    async def _in_thread(self, call: Callable[..., T], *arguments: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, call, *arguments)


class RaySeat:
    """The near end of an actor, used by one thread of the pool."""

    def __init__(self, actor: Any, seats: RaySeats) -> None:
        self._actor = actor
        self._seats = seats

    def verify(self, request: VerifyRequest, stop: threading.Event) -> Verdict:
        """The verdict that the actor gives."""
        verdict: Verdict = self._get(self._actor.verify.remote(request), 3 * request.limits.wall_s)
        expected = self._seats.identity(request.language)
        if verdict.tool != expected:
            raise UserError(
                f"the cluster's nodes have different verifiers ({_said(verdict.tool)} and {_said(expected)}): "
                "install the same on each"
            )
        return verdict

    def execute(
        self, language: str, program: str, calls: str, limits: ExecutionLimits, stop: threading.Event
    ) -> RunResult:
        """What the program printed, on the actor's machine."""
        result: RunResult = self._get(self._actor.execute.remote(language, program, calls, limits), limits.wall_s)
        return result

    def end(self) -> None:
        """Tell the actor to break off; does not wait."""
        with suppress(*_GONE):
            self._actor.end.remote()

    def close(self) -> None:
        """End the actor's workers, then the actor."""
        with suppress(*_GONE):
            ray.get(self._actor.close.remote(), timeout=30)
        ray.kill(self._actor)

    def _get(self, answer: Any, wall_s: float) -> Any:
        try:
            return _own_errors(answer, wall_s + SILENT_S)
        except _GONE as gone:
            raise SeatLostError(str(gone).strip().splitlines()[0]) from None


class RaySeats:
    """As many seats as the cluster's CPUs and memory carry, unless a number is given.

    Args:
        address: of the cluster.
        workers: seats; 0 to count them.
        memory_bytes: that each holds.
        sandbox: the choice that each node makes for itself.
        find_adapter: gives the tool of a language, on the node.

    Raises:
        UserError: there is no cluster at the address, or it has no room for one seat.
    """

    def __init__(self, address: str, workers: int, memory_bytes: int, sandbox: str, find_adapter: FindAdapter) -> None:
        self._mine = not ray.is_initialized()
        if self._mine:
            try:
                _reach(address)
                ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
            except (OSError, ValueError, RuntimeError) as error:
                said = " ".join(str(error).split())[:200]
                raise UserError(
                    f"verification.ray_address: no Ray cluster at {address!r} ({said}); "
                    "start one with `ray start --head`"
                ) from None
        self._memory_bytes = memory_bytes
        self._sandbox = sandbox
        self._find_adapter = find_adapter
        self._identities: dict[str, ToolIdentity] = {}
        self._actor = ray.remote(_Actor)
        self.workers = workers or _room(memory_bytes)
        if self.workers < 1:
            raise UserError(
                f"no node of the Ray cluster has a CPU and {memory_bytes / 2**30:.1f} GB free for a worker; "
                "add a node, or lower verification.memory_gb"
            )
        mode = ray.get(ray.remote(_sandbox_mode).options(num_cpus=0).remote(sandbox))
        self.sandbox = Sandbox(mode)

    def identity(self, language: str) -> ToolIdentity:
        """Which tool a node of the cluster has; every verdict is held to it."""
        if language not in self._identities:
            asked = ray.remote(_identity).options(num_cpus=0).remote(self._find_adapter, language)
            found: ToolIdentity = _own_errors(asked)
            self._identities[language] = found
        return self._identities[language]

    def open(self, number: int, closing: threading.Event) -> Seat:
        """A seat on the node that Ray chooses."""
        actor = self._actor.options(
            num_cpus=1, memory=self._memory_bytes, scheduling_strategy="SPREAD", max_restarts=0, max_concurrency=4
        ).remote(self._find_adapter, self._sandbox, number)
        ready = actor.ready.remote()
        deadline = time.monotonic() + PLACED_S
        while not closing.is_set() and time.monotonic() < deadline:
            if ray.wait([ready], timeout=0.5)[0]:
                try:
                    ray.get(ready)
                except RayActorError as gone:
                    raise SeatLostError(str(gone).strip().splitlines()[-1]) from None
                return RaySeat(actor, self)
        ray.kill(actor)
        raise SeatLostError(f"no node of the Ray cluster had room for a worker within {PLACED_S:.0f} s")

    def close(self) -> None:
        """Leave the cluster, if it was joined for these seats."""
        if self._mine:
            ray.shutdown()


def _reach(address: str) -> None:
    """Ray tries a dead address for minutes, so look first whether anything listens there."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdigit() and "//" not in host:
        socket.create_connection((host, int(port)), timeout=10).close()


def _own_errors(answer: Any, timeout_s: float | None = None) -> Any:
    """An answer, or the exception that was raised far away without Ray's traceback around it."""
    try:
        return ray.get(answer, timeout=timeout_s)
    except RayTaskError as raised:
        raise raised.cause from None


def _room(memory_bytes: int) -> int:
    """Seats that fit on the nodes, each counted by itself."""
    seats = 0
    for node in ray.nodes():
        if node["Alive"]:
            has = node["Resources"]
            seats += min(int(has.get("CPU", 0)), int(has.get("memory", 0) // memory_bytes))
    return seats


def _identity(find_adapter: FindAdapter, language: str) -> ToolIdentity:
    return find_adapter(language).identity()


def _sandbox_mode(choice: str) -> str:
    return detect_sandbox(choice).mode


def _said(tool: ToolIdentity) -> str:
    return f"{tool.name} {tool.version} with {tool.solver}"
