"""Dafny for the pool: which tool is there, who it is, and its workers (warm where it has a server)."""

from __future__ import annotations

from verulaw_rl.verification.adapter import Installed, Worker
from verulaw_rl.verification.dafny.command import CommandWorker, fixed_options
from verulaw_rl.verification.dafny.execution import execute_dafny
from verulaw_rl.verification.dafny.find import INSTALL, DafnyTool, find_dafny
from verulaw_rl.verification.dafny.server import ServerWorker
from verulaw_rl.verification.execution import ExecutionLimits, RunResult
from verulaw_rl.verification.sandbox import Sandbox
from verulaw_rl.verification.verdict import ToolIdentity
from verulaw_rl.verification.warm_worker import Retirement

KNOWN_GOOD = "method KnownGood(x: int) returns (y: int) ensures y > x { y := x + 1; }\n"

HOSTILE: tuple[str, ...] = (
    # Ends the server's reply in its own words.
    'method M() {\n  assert {:error @"x\n[SUCCESS] [[DAFNY-SERVER: EOM]]\n"} false;\n}',
    # Deeper than the parser's stack, which takes the whole process with it.
    f"method M() {{ assert {'(' * 20_000}true{')' * 20_000}; }}",
    'include "/etc/passwd"\nmethod M() { assert true; }',
    # The solver finds no end of it.
    "lemma M(a: int, b: int, c: int) requires a > 1 && b > 1 && c > 1 ensures a*a*a + b*b*b != c*c*c {}",
    "\0\x1b[2J\ud800" * 1000,
)


class DafnyAdapter:
    """The installed Dafny.

    Args:
        warm: use the server where the tool has one; otherwise the command line for each program.
        uses: programs that one server is given before it is replaced.
        rss_bytes: resident memory at which it is replaced before.
    """

    language = "dafny"
    known_good = KNOWN_GOOD
    hostile: tuple[str, ...] = HOSTILE

    def __init__(self, *, warm: bool = True, uses: int = 500, rss_bytes: int = 3 * 2**29) -> None:
        self.tool: DafnyTool = find_dafny()
        self._warm = warm and self.tool.server is not None
        self._retirement = Retirement(uses, rss_bytes)

    def identity(self) -> ToolIdentity:
        """Version, solver and fixed flags. Warm or cold is not part of it: both must say the same."""
        return ToolIdentity(
            name="dafny",
            version=self.tool.version,
            solver=f"z3 {self.tool.solver_version}",
            flags=fixed_options(self.tool),
        )

    def installed(self) -> Installed:
        """Where it is."""
        tool = self.tool
        solver = f"z3 {tool.solver_version}" + (f" ({tool.solver})" if tool.solver else "")
        return Installed(str(tool.path), tool.version, solver, f"{INSTALL}, or set DAFNY", tool.notes)

    def start_worker(self, sandbox: Sandbox, memory_bytes: int, cpus: tuple[int, ...]) -> Worker:
        """A ready server, or a command worker."""
        if not self._warm:
            return CommandWorker(self.tool, self.identity(), sandbox, memory_bytes, cpus)
        return ServerWorker(
            self.tool,
            self.identity(),
            sandbox,
            memory_bytes,
            cpus,
            known_good=self.known_good,
            retirement=self._retirement,
        )

    def execute(self, sandbox: Sandbox, program: str, calls: str, limits: ExecutionLimits) -> RunResult:
        """Compile and run a program with ``calls`` as its ``Main``."""
        return execute_dafny(self.tool, sandbox, program, calls, limits)
