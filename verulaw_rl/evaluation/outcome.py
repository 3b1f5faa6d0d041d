"""What one episode came to, in the few facts that evaluation counts. Made from its record; metrics read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from verulaw_rl.episodes.record import EpisodeRecord
from verulaw_rl.suites.instance import Instance
from verulaw_rl.verification.verdict import Status, ToolIdentity


@dataclass(frozen=True, slots=True)
class Outcome:
    """One episode, counted."""

    instance: str
    family: str
    difficulty: int
    reward: float | None
    verified: bool
    """Some submission is intact and verified."""
    verified_and_probes: bool
    """Such a submission proves every hidden probe too."""
    first_verified: bool
    """The first submission is intact and verified."""
    specification_changed: bool
    """Some submission changed the specification."""
    proof_escape: bool
    """Some submission assumed what it had to prove."""
    timeout: bool
    """Not verified, and the verifier ran out of its limits on some submission."""
    turns: int
    submissions: int
    tool: str
    """Verifier and solver, with versions."""

    @property
    def unscorable(self) -> bool:
        """The tool or the machine failed; the episode says nothing of the policy."""
        return self.reward is None


def outcome_of(record: EpisodeRecord, instances: Mapping[str, Instance] | None = None) -> Outcome:
    """Count one episode; family and difficulty come from its instance where that is known."""
    submitted = [turn.evidence for turn in record.turns if turn.action == "submit"]
    evidence = [e for e in submitted if e is not None]
    proved = [e for e in evidence if e.verified and e.intact]
    instance = (instances or {}).get(record.instance)
    return Outcome(
        instance=record.instance,
        family=instance.family if instance else "",
        difficulty=instance.difficulty if instance else 0,
        reward=record.reward,
        verified=record.verified,
        verified_and_probes=any(e.probes_passed == e.probes_total for e in proved),
        first_verified=bool(submitted) and submitted[0] in proved,
        specification_changed=any(e.specification_changed for e in evidence),
        proof_escape=any(e.proof_escaped for e in evidence),
        timeout=not proved and any(e.status is Status.TIMEOUT for e in evidence),
        turns=len(record.turns),
        submissions=len(submitted),
        tool=" + ".join(tool_name(tool) for tool in record.tools),
    )


def tool_name(tool: ToolIdentity) -> str:
    """A tool in words, such as ``dafny 2.3.0 (z3 4.8.5)``."""
    return f"{tool.name} {tool.version}" + (f" ({tool.solver})" if tool.solver else "")
