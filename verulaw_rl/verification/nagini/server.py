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
from verulaw_rl.verification.verdict import Limits, Times, ToolIdentity, Verdict
from verulaw_rl.verification.warm_worker import Retirement, WarmWorker

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


class ServerWorker(WarmWorker):
    """One running resident, made ready by verifying ``known_good``.

    Raises:
        WorkerFault: it is not verified.
    """

    def __init__(
        self,
        tool: NaginiTool,
        identity: ToolIdentity,
        sandbox: Sandbox,
        memory_bytes: int,
        cpus: tuple[int, ...],
        *,
        known_good: str,
        retirement: Retirement,
    ) -> None:
        self._identity = identity
        setup = {"heap_bytes": heap_bytes(memory_bytes), "jvm": _JVM, "z3": str(tool.solver)}
        self._unsent = json.dumps(setup).encode() + b"\n"
        policy = policy_for(tool, memory_bytes, cpus=cpus, files={_RESIDENT: resident()})
        command = [str(tool.python), "-I", "-B", _RESIDENT]
        super().__init__(sandbox, command, policy, environment_for(tool), retirement)
        self.probe(known_good, Limits(solver_s=START_S, wall_s=START_S))

    def _verify(self, program: str, limits: Limits) -> Verdict:
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
            output, ended = _read(line, secret), True
        except Stopped as stop:
            self._stopped(stop)
            output, ended = Output("timeout"), False
        return make_verdict(
            output,
            program,
            tool=self._identity,
            error_limit=limits.error_limit,
            ended=ended,
            times=Times(tool_s=time.monotonic() - began, solver_s=output.solver_s),
            sandbox=self._sandbox.mode,
        )


def _read(line: bytes, secret: str) -> Output:
    try:
        answer = json.loads(line)
        if answer["id"] != secret:
            raise ValueError("it is to another request")
        return from_answer(answer)
    except (ValueError, KeyError, TypeError) as e:
        raise WorkerFault(f"the worker's answer is out of step: {e}") from None
