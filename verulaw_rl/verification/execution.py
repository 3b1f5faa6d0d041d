"""Running a candidate's program: what it prints for given calls, inside the sandbox.

This is the ``run`` action of an episode. It verifies nothing and proves nothing; a tool that can
compile its language runs the program with the calls as its main method. Texts hold no paths,
times or addresses, so that observations are the same from run to run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["ok", "rejected", "failed", "timeout", "limit", "unavailable"]


@dataclass(frozen=True, slots=True)
class ExecutionLimits:
    """Limits of one run, compilation included."""

    wall_s: float = 30.0
    memory_bytes: int = 2 * 2**30
    output_bytes: int = 64 * 2**10
    processes: int = 64


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a run did."""

    outcome: Outcome
    """``rejected``: not compiled; ``failed``: stopped by an exception; ``limit``: memory, processes or output;
    ``unavailable``: the tool cannot run programs here."""
    stdout: str
    """What the program printed."""
    message: str = ""
    """What the tool said, or which limit was passed."""
    exit_status: int | None = None
    wall_s: float = 0.0
    sandbox: str = ""

    @property
    def timed_out(self) -> bool:
        """Whether the wall clock stopped it."""
        return self.outcome == "timeout"
