"""Nagini for the pool: which tool is there, who it is, and its workers (warm, or the command line for each program)."""

from __future__ import annotations

from verulaw_rl.verification.adapter import Installed, Worker
from verulaw_rl.verification.execution import ExecutionLimits, RunResult
from verulaw_rl.verification.nagini.command import FIXED, CommandWorker
from verulaw_rl.verification.nagini.execution import execute_nagini
from verulaw_rl.verification.nagini.find import INSTALL, NaginiTool, find_nagini
from verulaw_rl.verification.nagini.server import ServerWorker
from verulaw_rl.verification.sandbox import Sandbox
from verulaw_rl.verification.verdict import ToolIdentity
from verulaw_rl.verification.warm_worker import Retirement

KNOWN_GOOD = """from nagini_contracts.contracts import *


def known_good(x: int) -> int:
    Ensures(Result() > x)
    return x + 1
"""

HOSTILE: tuple[str, ...] = (
    # Never executed, only read: it must not print, write or leave.
    "import os\nprint('verified')\nos.system('touch /tmp/x')\nos._exit(0)\n",
    # Deeper than the parsers' stacks.
    f"from nagini_contracts.contracts import *\n\ndef f() -> None:\n    Assert({'(' * 5_000}True{')' * 5_000})\n",
    "from nagini_contracts.contracts import *\n\ndef f() -> int:\n    return 1" + " + 1" * 20_000 + "\n",
    # The translator fails on it in its own way.
    "from nagini_contracts.contracts import *\n\ndef f() -> None:\n    Exsures(Nothing, True)\n    pass\n",
    # The solver finds no end of it.
    "from nagini_contracts.contracts import *\n\ndef f(a: int, b: int, c: int) -> None:\n"
    "    Requires(a > 1 and b > 1 and c > 1)\n    Assert(a * a * a + b * b * b != c * c * c)\n",
    "\0\x1b[2J\ud800" * 1000,
)


class NaginiAdapter:
    """The installed Nagini.

    Args:
        warm: use the resident worker; otherwise the command line for each program.
        uses: programs that one worker is given before it is replaced.
        rss_bytes: resident memory at which it is replaced before.
    """

    language = "nagini"
    known_good = KNOWN_GOOD
    hostile: tuple[str, ...] = HOSTILE

    def __init__(self, *, warm: bool = True, uses: int = 300, rss_bytes: int = 3 * 2**30) -> None:
        self.tool: NaginiTool = find_nagini()
        self._warm = warm
        self._retirement = Retirement(uses, rss_bytes)

    def identity(self) -> ToolIdentity:
        """Version, solver and fixed flags. Warm or cold is not part of it: both must say the same."""
        return ToolIdentity(
            name="nagini",
            version=self.tool.version,
            solver=f"z3 {self.tool.solver_version}",
            flags=(*FIXED, f"java {self.tool.java_version}", f"python {self.tool.python_version}"),
        )

    def installed(self) -> Installed:
        """Where it is."""
        solver = f"z3 {self.tool.solver_version}, java {self.tool.java_version}"
        return Installed(str(self.tool.path), self.tool.version, solver, f"{INSTALL}, or set NAGINI")

    def start_worker(self, sandbox: Sandbox, memory_bytes: int, cpus: tuple[int, ...]) -> Worker:
        """A ready resident, or a command worker."""
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
        """Run a program under plain Python with ``calls`` after it."""
        return execute_nagini(self.tool, sandbox, program, calls, limits)
