"""Nagini's options and limits, and one cold run of its command line.

Obligations are always forced: without, Nagini checks none where no contract of the program names one, and its
encoding would depend on what the process had seen before. All errors of a member are asked for, one prover runs at a
time (a worker is one processor's work), and the solver's reasons are told, so that running out is no refutation.

Solver work is limited for a program as a whole, to ``solver_s`` seconds of the solver's own CPU time as the kernel
counts it: waiting for a processor uses none of it up. (Nagini has Silicon turn its limits of single checks into Z3's
resource units, of which one kind of proof uses ten times as many a second as another, and a check that ran out of
them is a failed one.) The wall clock only guards the pool.
"""

from __future__ import annotations

from typing import Any

from verulaw_rl.verification.adapter import WorkerFault
from verulaw_rl.verification.nagini.find import NaginiTool
from verulaw_rl.verification.nagini.output import from_text
from verulaw_rl.verification.nagini.verdicts import make_verdict
from verulaw_rl.verification.processes import Contained
from verulaw_rl.verification.sandbox import Policy, Sandbox
from verulaw_rl.verification.verdict import Limits, Status, Times, ToolIdentity, Verdict

SOLVER = "z3"
FILE = "program.py"

SILICON = ("--numberOfParallelVerifiers=1", "--reportReasonUnknown")
"""Options of Silicon that every call has."""
FIXED = ("--force-obligations", *SILICON)
"""Part of the identity."""

HEAP_SHARE = 0.375
"""Of the worker's memory, for the JVM's heap; the rest is for Python, the JVM's own and the solver."""


def silicon_options(limits: Limits) -> list[str]:
    """Options of Silicon for a call."""
    seed = [] if limits.solver_seed is None else [f"--proverConfigArgs=smt.random_seed={limits.solver_seed}"]
    return [*SILICON, f"--numberOfErrorsToReport={limits.error_limit}", *seed]


def command_line(tool: NaginiTool, file: str, limits: Limits) -> list[str]:
    """The whole command line that verifies one file."""
    return [
        str(tool.python),
        str(tool.path),
        "--force-obligations",
        f"--viper-arg={','.join(silicon_options(limits))}",
        file,
    ]


def policy_for(tool: NaginiTool, memory_bytes: int, **more: Any) -> Policy:
    """What a Nagini process may have; ``more`` are other fields of the policy."""
    # The JVM reserves far more addresses than it uses, so they cannot be limited; its heap is.
    return Policy(memory_bytes=memory_bytes, readable=tool.readable, **more)


def environment_for(tool: NaginiTool) -> dict[str, str]:
    """Environment beside the sandbox's own."""
    return {"JAVA_HOME": str(tool.java_home), "PYTHONDONTWRITEBYTECODE": "1"}


def heap_bytes(memory_bytes: int) -> int:
    """Limit of the JVM's heap in a worker of that memory."""
    return int(memory_bytes * HEAP_SHARE)


class CommandWorker:
    """Verifies by a run of the command line for each program. There is no process between calls."""

    def __init__(
        self, tool: NaginiTool, identity: ToolIdentity, sandbox: Sandbox, memory_bytes: int, cpus: tuple[int, ...]
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
        """One cold run. The wall clock is its only limit: nothing watches the solver of a command line."""
        policy = policy_for(
            self._tool,
            self._memory_bytes,
            cpus=self._cpus,
            files={FILE: program.encode("utf-8", "surrogatepass")},
        )
        environment = {
            **environment_for(self._tool),
            # Read by every JVM; the command line has no option for it.
            "JAVA_TOOL_OPTIONS": f"-Xmx{heap_bytes(self._memory_bytes)}",
        }
        contained = self._sandbox.start(command_line(self._tool, FILE, limits), policy, environment)
        self._running = contained
        try:
            done = contained.finish(b"", limits.wall_s)
        finally:
            self._running = None
        if done.stopped not in (None, "wall"):
            raise WorkerFault(f"nagini was stopped: {done.stopped} limit")
        output = from_text(done.output, done.errors)
        verdict = make_verdict(
            output,
            program,
            tool=self._identity,
            error_limit=limits.error_limit,
            ended=done.stopped is None,
            times=Times(tool_s=done.wall_s),
            sandbox=self._sandbox.mode,
        )
        if verdict.status is Status.ERROR:
            raise WorkerFault(verdict.message)
        return verdict

    def end(self) -> None:
        """Stop the run in progress."""
        running = self._running
        if running is not None:
            running.end()

    def close(self) -> None:
        """Stop the run in progress; runs end their own processes."""
        self.end()
