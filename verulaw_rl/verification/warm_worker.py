"""What the warm workers of all tools share: one contained process that serves one program after another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from verulaw_rl.verification.adapter import WorkerFault
from verulaw_rl.verification.processes import Stopped
from verulaw_rl.verification.sandbox import Policy, Sandbox
from verulaw_rl.verification.verdict import Limits, Status, Verdict


@dataclass(frozen=True, slots=True)
class Retirement:
    """When a worker that still answers is replaced."""

    uses: int
    """Programs served."""
    rss_bytes: int
    """Resident memory of its processes."""


class WarmWorker(ABC):
    """One running process. Ended when it fails, has served its uses, or has grown too large.

    Args:
        sandbox: to start it in.
        command: its words.
        policy: what it may see and use.
        environment: its variables.
        retirement: when it is replaced.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        command: list[str],
        policy: Policy,
        environment: dict[str, str],
        retirement: Retirement,
    ) -> None:
        self._sandbox = sandbox
        self._retirement = retirement
        self._uses = -1  # the readiness probe is none
        self._broken = False
        self._contained = sandbox.start(command, policy, environment)

    def probe(self, known_good: str, limits: Limits) -> None:
        """Verify a program that must verify.

        Raises:
            WorkerFault: it does not; the worker is ended.
        """
        verdict = self.verify(known_good, limits)
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
            and self._uses < self._retirement.uses
            and self._contained.alive
            and self._contained.rss_bytes() < self._retirement.rss_bytes
        )

    def verify(self, program: str, limits: Limits) -> Verdict:
        """Verify one program.

        Raises:
            WorkerFault: the worker died, or answered nonsense; it is ended.
        """
        self._uses += 1
        try:
            verdict = self._verify(program, limits)
            if verdict.status is Status.ERROR:
                raise WorkerFault(verdict.message)
        except WorkerFault:
            self.close()
            raise
        return verdict

    @abstractmethod
    def _verify(self, program: str, limits: Limits) -> Verdict:
        """One exchange. Raises as :meth:`verify`; an ``error`` verdict is a fault too."""

    def _stopped(self, stop: Stopped) -> None:
        """Take note that an exchange was stopped: by the wall clock, which is the program's doing, or by a fault."""
        self._broken = True
        if stop.why == "wall":
            return
        said = (stop.output.decode("utf-8", "replace") + self._contained.errors()).strip().splitlines()
        what = "the worker ended" if stop.why == "eof" else f"the worker passed its {stop.why} limit"
        raise WorkerFault(f"{what}: {said[-1].strip()}" if said else what) from None

    def end(self) -> None:
        """Send the end."""
        self._broken = True
        self._contained.end()

    def close(self) -> None:
        """End its processes."""
        self._broken = True
        self._contained.kill()
