"""Dafny's command lines, and one cold run of them.

2.3 is asked with ``/options`` and prints each procedure (``/tracePOs``); 4.x is asked with ``dafny
verify``. Solver work is limited in Z3's resource units, which do not depend on the load of the
machine; a time limit several times larger only guards against what the units do not count.
"""

from __future__ import annotations

import logging
import math
import uuid
from dataclasses import replace
from typing import Any

from verulaw_rl.verification.adapter import WorkerFault
from verulaw_rl.verification.dafny.auditor import audit_command, parse_audit
from verulaw_rl.verification.dafny.find import DafnyTool
from verulaw_rl.verification.dafny.output import parse_output
from verulaw_rl.verification.dafny.verdicts import make_verdict
from verulaw_rl.verification.processes import Contained
from verulaw_rl.verification.sandbox import Policy, Sandbox
from verulaw_rl.verification.verdict import Diagnostic, Limits, Status, Times, ToolIdentity, Verdict

log = logging.getLogger(__name__)

RLIMIT_PER_SECOND = 3_000_000
"""Z3 4.8.5 resource units for a second of solver work.

Measured on a 2-core server as the difference in Z3's CPU seconds between ``/rlimit:3000000`` and
``/rlimit:12000000``: 4.0 M/s (cubic inequality), 2.9 M/s (modular arithmetic), 4.3 M/s (recursive
function, five searches). Verus uses the same figure for its ``--rlimit`` seconds.
"""

MONO_ADDRESS_SPACE_BYTES = 2**30
"""Mono with Z3 does not start in 512 MiB of address space; 1 GiB suffices (Dafny 2.3.0, mono 6.8)."""

TIME_LIMIT_FACTOR = 10
"""Wall seconds given for each second of solver work, so that a loaded machine does not change verdicts."""


def fixed_options(tool: DafnyTool) -> tuple[str, ...]:
    """Options that every call has and that do not depend on limits or paths; part of the identity."""
    if tool.dialect == "2":
        return ("/compile:0", "/nologo", "/errorTrace:0", "/tracePOs")
    return ("--allow-warnings", "--show-snippets:false", "--cores", "1")


def options(tool: DafnyTool, limits: Limits) -> list[str]:
    """All options of a call but the file."""
    units = max(1, int(limits.solver_s * RLIMIT_PER_SECOND))
    # Below the wall limit, so that one hard declaration does not cost the others their outcomes.
    seconds = max(1, math.ceil(min(limits.solver_s * TIME_LIMIT_FACTOR, 0.9 * limits.wall_s)))
    fixed = list(fixed_options(tool))
    seed = [] if limits.solver_seed is None else [f"/proverOpt:O:smt.random_seed={limits.solver_seed}"]
    if tool.dialect == "2":
        solver = [*([f"/z3exe:{tool.solver}"] if tool.solver else []), *seed]
        return [*fixed, *solver, f"/timeLimit:{seconds}", f"/rlimit:{units}", f"/errorLimit:{limits.error_limit}"]
    solver = ["--solver-path", str(tool.solver)] if tool.solver else []
    solver += [word for option in seed for word in ("--boogie", option)]
    return [
        *fixed,
        *solver,
        "--verification-time-limit",
        str(seconds),
        "--resource-limit",
        str(units),
        "--error-limit",
        str(limits.error_limit),
    ]


def command_line(tool: DafnyTool, file: str, limits: Limits) -> list[str]:
    """The whole command line that verifies one file and compiles nothing."""
    verb = [] if tool.dialect == "2" else ["verify"]
    return [*tool.command, *verb, *options(tool, limits), file]


def policy_for(tool: DafnyTool, memory_bytes: int, **more: Any) -> Policy:
    """What a Dafny process may have; ``more`` are other fields of the policy."""
    return Policy(
        memory_bytes=memory_bytes,
        # .NET reserves hundreds of GB of addresses, so only mono's can be limited.
        address_space_bytes=max(memory_bytes, MONO_ADDRESS_SPACE_BYTES) if tool.dialect == "2" else None,
        readable=tool.readable,
        **more,
    )


def environment_for(tool: DafnyTool) -> dict[str, str]:
    """Environment beside the sandbox's own."""
    if tool.dialect == "2":
        return {}
    return {"DOTNET_CLI_TELEMETRY_OPTOUT": "1", "DOTNET_NOLOGO": "1", "DOTNET_gcServer": "0"}


class CommandWorker:
    """Verifies by a run of the command line for each program. There is no process between calls."""

    def __init__(
        self, tool: DafnyTool, identity: ToolIdentity, sandbox: Sandbox, memory_bytes: int, cpus: tuple[int, ...]
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
        """One cold run."""
        name = f"p{uuid.uuid4().hex}.dfy"
        files = {name: program.encode("utf-8", "surrogatepass")}
        policy = policy_for(self._tool, self._memory_bytes, cpus=self._cpus, files=files)
        contained = self._sandbox.start(command_line(self._tool, name, limits), policy, environment_for(self._tool))
        self._running = contained
        try:
            done = contained.finish(b"", limits.wall_s)
        finally:
            self._running = None
        output = parse_output(done.output, file=name, dialect=self._tool.dialect)
        verdict = make_verdict(
            output,
            program,
            tool=self._identity,
            error_limit=limits.error_limit,
            ended=done.stopped is None,
            times=Times(tool_s=done.wall_s),
            sandbox=self._sandbox.mode,
        )
        if done.stopped not in (None, "wall"):
            raise WorkerFault(f"dafny was stopped: {done.stopped} limit")
        if output.crash or verdict.status is Status.ERROR:
            said = done.errors.strip().splitlines()
            raise WorkerFault((output.crash or verdict.message) + (f": {said[0]}" if said else ""))
        if verdict.status is Status.VERIFIED and self._tool.dialect == "4":
            return replace(verdict, assumptions=self._assumptions(name, policy, limits))
        return verdict

    def _assumptions(self, name: str, policy: Policy, limits: Limits) -> tuple[Diagnostic, ...]:
        """What the tool's own auditor finds in a program that it verified."""
        contained = self._sandbox.start(audit_command(self._tool, name), policy, environment_for(self._tool))
        self._running = contained
        try:
            done = contained.finish(b"", limits.wall_s)
        finally:
            self._running = None
        found = parse_audit(done.output, name)
        if found is None:
            said = (done.errors.strip() or done.output.strip()).splitlines()
            log.warning("`dafny audit` gave no report (%s); our own audit stands alone", said[0] if said else "nothing")
        return found or ()

    def end(self) -> None:
        """Stop the run in progress."""
        running = self._running
        if running is not None:
            running.end()

    def close(self) -> None:
        """Stop the run in progress; runs end their own processes."""
        self.end()
