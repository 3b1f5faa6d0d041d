"""Verus for the pool: which tool is there, who it is, and its workers."""

from __future__ import annotations

from verulaw_rl.verification.adapter import Installed, Worker
from verulaw_rl.verification.execution import ExecutionLimits, RunResult
from verulaw_rl.verification.sandbox import Sandbox
from verulaw_rl.verification.verdict import ToolIdentity
from verulaw_rl.verification.verus.command import CommandWorker, fixed_options
from verulaw_rl.verification.verus.execution import execute_verus
from verulaw_rl.verification.verus.find import INSTALL, VerusTool, find_verus

KNOWN_GOOD = """\
use vstd::prelude::*;

verus! {

fn known_good(x: u64) -> (y: u64)
    requires
        x < 100,
    ensures
        y > x,
{
    x + 1
}

} // verus!
"""
HOSTILE: tuple[str, ...] = (
    # Would read a file of the machine into the program.
    'use vstd::prelude::*;\nverus! { const S: &str = include_str!("/etc/passwd"); fn m() { assert(true); } }',
    # Deeper than the compiler's stack.
    f"use vstd::prelude::*;\nverus! {{ fn m() {{ assert({'(' * 20_000}true{')' * 20_000}); }} }}",
    # The macro expander finds no end of it.
    "use vstd::prelude::*;\nmacro_rules! m { ($($x:tt)*) => { m!{$($x)* $($x)*} } }\nm!{a}\nverus! { }",
    # The solver finds no end of it.
    "use vstd::prelude::*;\nverus! { proof fn m(a: int, b: int, c: int) requires a > 1, b > 1, c > 1 "
    "ensures a*a*a + b*b*b != c*c*c {} }",
    "\0\x1b[2J\ud800" * 1000,
)


class VerusAdapter:
    """The installed Verus.

    Args:
        warm: has no meaning here: Verus has no server, each program is a run of its own.
    """

    language = "verus"
    known_good = KNOWN_GOOD
    hostile: tuple[str, ...] = HOSTILE

    def __init__(self, *, warm: bool = True) -> None:
        self.tool: VerusTool = find_verus()

    def identity(self) -> ToolIdentity:
        """Version, solver and fixed flags; the resource limit of a call is in the message of its verdict."""
        return ToolIdentity(
            name="verus",
            version=self.tool.version,
            solver=f"z3 {self.tool.solver_version or 'bundled'}",
            flags=fixed_options(self.tool),
        )

    def installed(self) -> Installed:
        """Where it is."""
        solver = f"z3 {self.tool.solver_version or 'bundled'}"
        return Installed(str(self.tool.path), self.tool.version, solver, f"{INSTALL}, or set VERUS")

    def start_worker(self, sandbox: Sandbox, memory_bytes: int, cpus: tuple[int, ...]) -> Worker:
        """A command worker."""
        return CommandWorker(self.tool, self.identity(), sandbox, memory_bytes, cpus)

    def execute(self, sandbox: Sandbox, program: str, calls: str, limits: ExecutionLimits) -> RunResult:
        """Compile and run a program with ``calls`` as its ``main``."""
        return execute_verus(self.tool, sandbox, program, calls, limits)
