"""The assist client: a specialist joined to what episodes call, so that it can only ever help.

An answer counts only if it is the candidate with its proof annotations rewritten (``rewrite``). Whatever goes wrong
(it raises, takes too long, answers nonsense, changes code) leaves the candidate as it is, with a note in the record.
Scoring is the episode's: the answer is audited against the instance, verified and scored like any candidate, and the
better of the two scores counts.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import Protocol

from verulaw_rl.episodes.services import Assistance, Services
from verulaw_rl.specialist.rewrite import rewrite_fault
from verulaw_rl.suites.instance import Instance
from verulaw_rl.verification.verdict import Verdict

log = logging.getLogger(__name__)

Verify = Callable[[str], Verdict]
"""The verifier's plain verdict on a program text."""


class Specialist(Protocol):
    """Completes proofs. Frozen: nothing that it sees changes it."""

    @property
    def name(self) -> str:
        """For records and logs."""
        ...

    @property
    def version(self) -> str:
        """Of what it is."""
        ...

    @property
    def timeout_s(self) -> float:
        """Of one answer."""
        ...

    def complete(self, instance: Instance, candidate: str, verify: Verify | None) -> str | None:
        """The candidate with its proof annotations rewritten; ``None`` where there is nothing to offer.

        May raise anything, take any time and answer anything; called from many threads at once.
        """
        ...


def with_specialist(services: Services, specialist: Specialist) -> Services:
    """The services of a run whose episodes ask the specialist."""

    def assist(instance: Instance, candidate: str, own: Services) -> Assistance:
        return _ask(specialist, instance, candidate, own)

    return replace(services, assist=assist, own=lambda: replace(services.for_episode(), assist=assist))


def _ask(specialist: Specialist, instance: Instance, candidate: str, services: Services) -> Assistance:
    verdict_of = services.verify
    verify = None if verdict_of is None else lambda program: verdict_of(instance, program)
    answered: list[str | None] = []
    failed: list[BaseException] = []

    def ask() -> None:
        try:
            answered.append(specialist.complete(instance, candidate, verify))
        except BaseException as error:  # a specialist's failure, of whatever kind, must not reach the episode
            failed.append(error)

    # A thread of its own that nobody waits for: one that hangs is left behind, and does not keep a run from ending.
    thread = threading.Thread(target=ask, name="specialist", daemon=True)
    thread.start()
    thread.join(specialist.timeout_s)
    if failed:
        if isinstance(failed[0], CancelledError):
            raise failed[0]  # the episode itself was broken off
        log.warning("specialist %s: %s: %s", specialist.name, type(failed[0]).__name__, failed[0])
        return Assistance(None, "it failed")
    if not answered:
        log.warning("specialist %s gave no answer within %g s", specialist.name, specialist.timeout_s)
        return Assistance(None, "it took too long")
    return _checked(instance, candidate, answered[0])


def _checked(instance: Instance, candidate: str, answer: str | None) -> Assistance:
    if answer is None or not isinstance(answer, str) or not answer.strip():
        return Assistance(None, "it has no answer")
    try:
        fault = rewrite_fault(instance.language, candidate, answer)
    except Exception as error:  # the audit never raises on any text; a fault of ours must not cost the agent
        log.warning("a specialist's answer could not be compared: %s: %s", type(error).__name__, error)
        fault = "it cannot be compared"
    return Assistance(answer) if fault is None else Assistance(None, fault)
