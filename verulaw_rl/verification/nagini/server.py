"""A warm worker: the resident program in Nagini's virtual environment, one verification at a time.

A request and its answer are a line of JSON each, with a secret id. The resident ends the solvers of a program that
has used up its solver time and stays warm; a program that the wall clock stops takes the resident with it.
"""

from __future__ import annotations

import json
import time
import uuid
from functools import lru_cache
from pathlib import Path

from verulaw_rl.verification.adapter import WorkerFault
from verulaw_rl.verification.nagini.command import (
    environment_for,
    heap_bytes,
    policy_for,
    silicon_options,
)
from verulaw_rl.verification.nagini.find import NaginiTool
from verulaw_rl.verification.nagini.output import Output, from_answer
from verulaw_rl.verification.nagini.verdicts import make_verdict
from verulaw_rl.verification.processes import Stopped
from verulaw_rl.verification.sandbox import Sandbox
from verulaw_rl.verification.verdict import Limits, Status, Times, ToolIdentity, Verdict

START_S = 300.0
"""Wall time to become ready, on a loaded machine: 25 s of CPU (JVM, built-in declarations, first program)."""

_RESIDENT = "nagini-resident.py"
"""In the scratch; by that name no program can import it."""

_JVM = ("-XX:+UseSerialGC", "-XX:+DisableExplicitGC", "-Xms256m", "-Xmn128m")
"""One worker is one processor's work, so one thread collects; JPype would have it collect everything, a third of a
second, at nearly every program."""


@lru_cache
def resident() -> bytes:
    """The resident program."""
    return Path(__file__).with_name("resident.py").read_bytes()


class ServerWorker:
    """One running resident. Ended when it fails, has served its uses, or has grown too large."""

    def __init__(
        self,
        tool: NaginiTool,
        identity: ToolIdentity,
        sandbox: Sandbox,
        memory_bytes: int,
        cpus: tuple[int, ...],
        *,
        known_good: str,
        uses: int,
        rss_bytes: int,
    ) -> None:
        self._identity = identity
        self._sandbox = sandbox
        self._uses_left = uses + 1  # the readiness probe is one
        self._rss_bytes = rss_bytes
        self._broken = False
        setup = {"heap_bytes": heap_bytes(memory_bytes), "jvm": _JVM, "z3": str(tool.solver)}
        self._unsent = json.dumps(setup).encode() + b"\n"
        policy = policy_for(tool, memory_bytes, cpus=cpus, files={_RESIDENT: resident()})
        command = [str(tool.python), "-I", "-B", _RESIDENT]
        self._contained = sandbox.start(command, policy, environment_for(tool))
        verdict = self.verify(known_good, Limits(solver_s=START_S, wall_s=START_S))
        if verdict.status is not Status.VERIFIED:
            self.close()
            raise WorkerFault(f"a known good program is {verdict.status} on a fresh worker: {verdict.message}")

    @property
    def pid(self) -> int:
        """Process id of the outermost process."""
        return self._contained.pid

    @property
    def usable(self) -> bool:
        """Alive, with uses left, and not too large."""
        return (
            not self._broken
            and self._uses_left > 0
            and self._contained.alive
            and self._contained.rss_bytes() < self._rss_bytes
        )

    def verify(self, program: str, limits: Limits) -> Verdict:
        """Verify one program on the warm worker."""
        self._uses_left -= 1
        secret = uuid.uuid4().hex
        request = {
            "id": secret,
            "program": program,
            "silicon": silicon_options(limits),
            "solver_s": limits.solver_s,
        }
        data = self._unsent + json.dumps(request).encode() + b"\n"
        self._unsent = b""
        began = time.monotonic()
        try:
            line = self._contained.exchange(data, lambda said: said.endswith(b"\n"), limits.wall_s)
        except Stopped as stop:
            self._broken = True
            if stop.why != "wall":
                raise WorkerFault(self._why(stop)) from None
            return self._judge(Output("timeout"), program, limits, began, ended=False)
        return self._judge(self._read(line, secret), program, limits, began, ended=True)

    def _read(self, line: bytes, secret: str) -> Output:
        try:
            answer = json.loads(line)
            if answer["id"] != secret:
                raise ValueError("it is to another request")
            return from_answer(answer)
        except (ValueError, KeyError, TypeError) as e:
            self.close()
            raise WorkerFault(f"the worker's answer is out of step: {e}") from None

    def _judge(self, output: Output, program: str, limits: Limits, began: float, *, ended: bool) -> Verdict:
        verdict = make_verdict(
            output,
            program,
            tool=self._identity,
            error_limit=limits.error_limit,
            ended=ended,
            times=Times(tool_s=time.monotonic() - began, solver_s=output.solver_s),
            sandbox=self._sandbox.mode,
        )
        if verdict.status is Status.ERROR:
            self.close()
            raise WorkerFault(verdict.message)
        return verdict

    def _why(self, stop: Stopped) -> str:
        said = self._contained.errors().strip().splitlines()
        what = "the worker ended" if stop.why == "eof" else f"the worker passed its {stop.why} limit"
        return f"{what}: {said[-1].strip()}" if said else what

    def end(self) -> None:
        """Send the end."""
        self._broken = True
        self._contained.end()

    def close(self) -> None:
        """End the resident, the JVM in it and its solvers."""
        self._broken = True
        self._contained.kill()
