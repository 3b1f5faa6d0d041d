"""Verus's command line, and one run of it for each program: it has no server.

Messages come as rustc's JSON on the error stream, the counts as a document on the output. Solver work is limited in
Z3's resource units (``--rlimit`` counts 3,000,000 of them as a second), which do not depend on the load of the machine;
the wall clock only guards the pool, for Verus has no limit of its own on it. ``--no-cheating`` is a second line behind
our audit: Verus itself then refuses ``assume``, ``admit``, ``external_body`` and the like.
"""

from __future__ import annotations

import uuid
from typing import Any

from verulaw_rl.verification.adapter import WorkerFault
from verulaw_rl.verification.processes import Contained
from verulaw_rl.verification.sandbox import Policy, Sandbox
from verulaw_rl.verification.verdict import Limits, Status, Times, ToolIdentity, Verdict
from verulaw_rl.verification.verus.find import VerusTool
from verulaw_rl.verification.verus.output import parse_output
from verulaw_rl.verification.verus.verdicts import make_verdict

ERROR_BYTES = 16 * 2**20
"""Kept of the error stream, where the messages are: some thousand of them."""


def fixed_options(tool: VerusTool) -> tuple[str, ...]:
    """Options that every call has and that do not depend on limits or paths; part of the identity."""
    more = ("--no-cheating",) if tool.no_cheating else ()
    return (
        "--crate-type=lib",
        "--output-json",
        "--time-expanded",
        "--error-format=json",
        "--num-threads",
        "1",
        "--no-report-long-running",
        *more,
    )


def rlimit(limits: Limits) -> str:
    """Value of ``--rlimit``: seconds of solver work for a function or loop; 0 is refused by Verus."""
    return f"{max(0.1, limits.solver_s):g}"


def command_line(tool: VerusTool, file: str, limits: Limits) -> list[str]:
    """The whole command line that verifies one file and compiles nothing."""
    seed = ["--smt-option", f"smt.random_seed={limits.solver_seed}"] if limits.solver_seed is not None else []
    return [
        str(tool.path),
        file,
        *fixed_options(tool),
        "--rlimit",
        rlimit(limits),
        "--multiple-errors",
        str(limits.error_limit),
        *seed,
    ]


def policy_for(tool: VerusTool, memory_bytes: int, **more: Any) -> Policy:
    """What a Verus process may have; ``more`` are other fields of the policy."""
    return Policy(memory_bytes=memory_bytes, readable=tool.readable, **more)


class CommandWorker:
    """Verifies by a run of the command line for each program. There is no process between calls."""

    def __init__(
        self, tool: VerusTool, identity: ToolIdentity, sandbox: Sandbox, memory_bytes: int, cpus: tuple[int, ...]
    ) -> None:
        self._tool = tool
        self._identity = identity
        self._sandbox = sandbox
        self._memory_bytes = memory_bytes
        self._cpus = cpus
        self._running: Contained | None = None

    @property
    def usable(self) -> bool:
        """Always: nothing wears out."""
        return True

    def verify(self, program: str, limits: Limits) -> Verdict:
        """One run."""
        name = f"p{uuid.uuid4().hex}.rs"
        files = {name: program.encode("utf-8", "surrogatepass")}
        policy = policy_for(self._tool, self._memory_bytes, cpus=self._cpus, files=files)
        contained = self._sandbox.start(command_line(self._tool, name, limits), policy, dict(self._tool.environment))
        self._running = contained
        try:
            done = contained.finish(b"", limits.wall_s, error_bytes=ERROR_BYTES)
        finally:
            self._running = None
        output = parse_output(f"{done.errors}\n{done.output}")
        checked = sum(f.micros for f in output.functions)
        verdict = make_verdict(
            output,
            program,
            tool=self._identity,
            file=name,
            live=True,
            ended=done.stopped is None,
            limit=f"--rlimit {rlimit(limits)}",
            times=Times(tool_s=done.wall_s, solver_s=checked / 1e6 if output.functions else None),
            sandbox=self._sandbox.mode,
        )
        if done.stopped not in (None, "wall"):
            raise WorkerFault(f"verus was stopped: {done.stopped} limit")
        if verdict.status is Status.ERROR:
            said = done.errors.strip().splitlines()
            raise WorkerFault(verdict.message + (f": {said[0][:300]}" if said and not output.crash else ""))
        return verdict

    def end(self) -> None:
        """Stop the run in progress."""
        running = self._running
        if running is not None:
            running.end()

    def close(self) -> None:
        """Stop the run in progress; runs end their own processes."""
        self.end()
