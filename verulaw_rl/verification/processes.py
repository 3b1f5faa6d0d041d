"""One contained process: exchanges with it under limits of time, memory and output, and its certain end.

A :class:`Contained` is made by the sandbox. A long-lived worker is used by :meth:`Contained.exchange`,
a one-shot command by :meth:`Contained.finish`; both stop the whole process tree when a limit is passed.
:meth:`Contained.kill` returns only when every process of the tree is gone.
"""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

import psutil

Stop = Literal["wall", "memory", "processes", "output", "eof"]


class Stopped(Exception):
    """An exchange that did not come to its end; the process tree has been killed."""

    def __init__(self, why: Stop, output: bytes) -> None:
        super().__init__(why)
        self.why: Stop = why
        self.output = output
        """What it had said before."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A one-shot command that ended or was stopped."""

    output: str
    errors: str
    exit_status: int
    """Negative for a signal, as in :mod:`subprocess`."""
    stopped: Stop | None
    wall_s: float


class Contained:
    """A process tree of ours. Not thread-safe: one thread talks to it; any thread may kill it."""

    def __init__(
        self,
        popen: subprocess.Popen[bytes],
        errors: IO[bytes],
        *,
        memory_bytes: int,
        processes: int,
        output_bytes: int,
        check_every_s: float,
        tag: str,
        scratch: Path | None,
    ) -> None:
        self._popen = popen
        self._errors = errors
        self._memory_bytes = memory_bytes
        self._processes = processes
        self._output_bytes = output_bytes
        self._check_every_s = check_every_s
        self._tag = tag
        self._scratch = scratch
        assert popen.stdin is not None
        assert popen.stdout is not None
        self._stdin, self._stdout = popen.stdin, popen.stdout
        os.set_blocking(self._stdin.fileno(), False)
        os.set_blocking(self._stdout.fileno(), False)

    @property
    def pid(self) -> int:
        """Process id of the outermost process, leader of its session."""
        return self._popen.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._popen.poll() is None

    def rss_bytes(self) -> int:
        """Resident memory of the whole tree."""
        return resident_bytes(process_tree(self.pid))

    def cpu_s(self, name: str) -> float | None:
        """CPU seconds that programs of a name have used below it, ended ones included; ``None`` where unknown."""
        return _cpu_s(process_tree(self.pid), name)

    def exchange(self, data: bytes, done: Callable[[bytearray], bool], wall_s: float) -> bytes:
        """Write ``data``, then read until ``done`` says that the answer is whole.

        Raises:
            Stopped: a limit was passed or the process ended before; the tree is gone then.
        """
        answer = bytearray()
        why = self._pump(data, answer, done, wall_s, close_input=False)
        if why is not None:
            self.kill()
            raise Stopped(why, bytes(answer))
        return bytes(answer)

    def finish(self, data: bytes, wall_s: float, *, error_bytes: int = 4000) -> Finished:
        """Write ``data`` as the whole input, read all output, and wait for the end.

        Args:
            data: the whole input.
            wall_s: time until the end.
            error_bytes: kept of the end of the error stream.
        """
        began = time.monotonic()
        answer = bytearray()
        why = self._pump(data, answer, lambda _: False, wall_s, close_input=True)
        stopped = None if why == "eof" else why
        if stopped is None:
            left = max(0.1, wall_s - (time.monotonic() - began))
            try:
                self._popen.wait(timeout=min(left, 10.0))
            except subprocess.TimeoutExpired:
                # Output closed, yet still there: it will not say anything more.
                stopped = "wall"
        errors = self.errors(error_bytes)
        self.kill()
        return Finished(
            output=bytes(answer).decode("utf-8", "replace"),
            errors=errors,
            exit_status=self._popen.returncode,
            stopped=stopped,
            wall_s=time.monotonic() - began,
        )

    def _pump(
        self,
        data: bytes,
        answer: bytearray,
        done: Callable[[bytearray], bool],
        wall_s: float,
        *,
        close_input: bool,
    ) -> Stop | None:
        deadline = time.monotonic() + wall_s
        next_check = time.monotonic() + min(self._check_every_s, 0.1)
        unsent = memoryview(data)
        with selectors.DefaultSelector() as selector:
            selector.register(self._stdout, selectors.EVENT_READ)
            if unsent:
                selector.register(self._stdin, selectors.EVENT_WRITE)
            elif close_input:
                self._stdin.close()
            while True:
                now = time.monotonic()
                if now >= deadline:
                    return "wall"
                if now >= next_check:
                    next_check = now + self._check_every_s
                    if (why := self._over_limit()) is not None:
                        return why
                for key, _ in selector.select(max(0.0, min(deadline, next_check) - now)):
                    if key.fileobj is self._stdin:
                        try:
                            unsent = unsent[os.write(self._stdin.fileno(), unsent[:65536]) :]
                        except BlockingIOError:
                            continue
                        except OSError:
                            unsent = unsent[:0]
                        if not unsent:
                            selector.unregister(self._stdin)
                            if close_input:
                                self._close_input()
                        continue
                    try:
                        chunk = os.read(self._stdout.fileno(), 65536)
                    except BlockingIOError:
                        continue
                    if not chunk:
                        return "eof"
                    answer += chunk
                    if len(answer) > self._output_bytes:
                        del answer[self._output_bytes :]
                        return "output"
                    if done(answer):
                        return None

    def _over_limit(self) -> Stop | None:
        pids = process_tree(self.pid)
        if len(pids) > self._processes:
            return "processes"
        return "memory" if resident_bytes(pids) > self._memory_bytes else None

    def _close_input(self) -> None:
        with suppress(OSError):
            self._stdin.close()

    def errors(self, last_bytes: int = 4000) -> str:
        """The end of what it wrote to its error stream."""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - last_bytes))
        return self._errors.read().decode("utf-8", "replace")

    def end(self) -> None:
        """Only send the end; for another thread than the one that talks to it, which then sees its end."""
        if not self.alive:
            return
        tree = process_tree(self.pid)
        if self._scratch is None and len(tree) > 1:
            # The first process of the namespace takes all others with it; bubblewrap outside then
            # ends by itself, having reaped it, which nobody would do if it were killed first.
            tree = tree[1:]
        for pid in tree:
            _signal_group(pid)

    def kill(self, patience_s: float = 5.0) -> None:
        """End every process of the tree and wait until they are gone. Safe to call again."""
        pids = process_tree(self.pid)
        self.end()
        try:
            self._popen.wait(timeout=patience_s)
        except subprocess.TimeoutExpired:
            _signal_group(self.pid)
            self._popen.wait()
        if self._scratch is not None:
            # Without a process namespace a child can leave the session; its environment still names us.
            pids = (*pids, *_end_tagged(self._tag))
            shutil.rmtree(self._scratch, ignore_errors=True)
        deadline = time.monotonic() + patience_s
        while any(_runs(pid) for pid in pids) and time.monotonic() < deadline:
            time.sleep(0.005)
        self._close_input()
        self._stdout.close()


def process_tree(root: int) -> tuple[int, ...]:
    """Ids of a process and its descendants, from ``/proc`` (cheap) or psutil where that has no child lists."""
    if not os.path.exists("/proc/self/task"):
        try:
            return (root, *(p.pid for p in psutil.Process(root).children(recursive=True)))
        except psutil.Error:
            return (root,)
    found: list[int] = []
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        try:
            for thread in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{thread}/children") as f:
                    waiting.extend(map(int, f.read().split()))
        except OSError:  # gone meanwhile
            continue
    return tuple(found)


def resident_bytes(pids: tuple[int, ...]) -> int:
    """Resident memory of processes together; one that is gone has none."""
    total = 0
    for pid in pids:
        try:
            total += psutil.Process(pid).memory_info().rss
        except psutil.Error:
            continue
    return total


def _cpu_s(pids: tuple[int, ...], name: str) -> float | None:
    ticks = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat") as f:
                stat = f.read()
        except OSError:
            if not os.path.exists("/proc/self/stat"):
                return None
            continue  # gone meanwhile, and counted by its parent
        command, _, rest = stat[stat.index("(") + 1 :].rpartition(")")
        user, system, children_user, children_system = map(int, rest.split()[11:15])
        # Only the solvers are ever children of the tool, so what its ended children used was theirs.
        ticks += user + system if command == name[:15] else children_user + children_system
    return ticks / os.sysconf("SC_CLK_TCK")


def _signal_group(pid: int) -> None:
    """Kill a process and, where it leads one, its group (never our own)."""
    try:
        if os.getpgid(pid) == pid:
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _end_tagged(tag: str) -> tuple[int, ...]:
    ended = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("VERULAW_CALL") == tag:
                process.kill()
                ended.append(process.pid)
        except psutil.Error:
            continue
    return tuple(ended)


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
