"""What one episode came to, in the few facts that evaluation counts. Made from its record; metrics read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from verulaw_rl.episodes.record import EpisodeRecord, Turn
from verulaw_rl.evidence.evidence import Evidence
from verulaw_rl.suites.instance import Instance
from verulaw_rl.verification.verdict import Status, ToolIdentity


@dataclass(frozen=True, slots=True)
class Outcome:
    """One episode, counted."""

    instance: str
    program: str
    """The unit of chance: instances of one program are not independent."""
    family: str
    difficulty: int
    reward: float | None
    verified: bool
    """Some submission is intact and verified, as handed in or as a specialist completed it."""
    direct: bool
    """Some submission is intact and verified as handed in."""
    verified_and_probes: bool
    """Such a submission, or what a specialist made of one, proves every hidden probe too."""
    first_verified: bool
    """The first submission, as handed in, is intact and verified."""
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
    end_reason: str = ""
    invalid_turns: int = 0
    """Turns without exactly one valid action."""
    revisions: int = 0
    """Submissions of another program than the one before."""
    sampled_tokens: int | None = None
    obligation_ratio: float | None = None
    """Of the best submission; 0 where nothing was submitted or the audit rejects it, ``None`` where nothing can be
    scored or the reward names no such component."""
    obligations: Mapping[str, float] = field(default_factory=dict)
    """Of the best submission: share discharged, by category."""
    findings: tuple[tuple[str, ...], ...] = ()
    """What the audit found, for each submission: ``kind: construct``, each once."""
    assisted_lost: bool = False
    """Some program of a specialist lost something of the specification, or assumed its proof."""

    @property
    def unscorable(self) -> bool:
        """The tool or the machine failed; the episode says nothing of the policy."""
        return self.reward is None

    @property
    def assisted(self) -> bool:
        """Verified only as a specialist completed a submission."""
        return self.verified and not self.direct

    @property
    def failed_first(self) -> bool:
        """Something was submitted, and the first submission does not verify."""
        return self.submissions > 0 and not self.first_verified


def outcome_of(record: EpisodeRecord, instances: Mapping[str, Instance] | None = None) -> Outcome:
    """Count one episode; program, family and difficulty come from its instance where that is known."""
    submitted = [turn for turn in record.turns if turn.action == "submit"]
    evidence = [turn.evidence for turn in submitted if turn.evidence is not None]
    proved = [e for e in evidence if e.verified and e.intact]
    assisted = any(turn.assisted is not None and turn.assisted.outcome == "verified" for turn in submitted)
    completed = [turn.assisted_evidence for turn in submitted if turn.assisted_evidence is not None]
    whole = [*proved, *(e for e in completed if e.verified and e.intact)]
    instance = (instances or {}).get(record.instance)
    best = best_submission(record)
    return Outcome(
        instance=record.instance,
        program=f"{instance.suite}/{instance.program}" if instance else record.instance,
        family=instance.family if instance else "",
        difficulty=instance.difficulty if instance else 0,
        reward=record.reward,
        verified=bool(proved) or assisted,
        direct=bool(proved),
        verified_and_probes=any(e.probes_passed == e.probes_total for e in whole),
        first_verified=bool(submitted) and submitted[0].evidence in proved,
        specification_changed=any(e.specification_changed for e in evidence),
        proof_escape=any(e.proof_escaped for e in evidence),
        timeout=not (proved or assisted) and any(e.status is Status.TIMEOUT for e in evidence),
        turns=len(record.turns),
        submissions=len(submitted),
        tool=" + ".join(tool_name(tool) for tool in record.tools),
        end_reason=record.end_reason.partition(":")[0],
        invalid_turns=sum(turn.invalid is not None for turn in record.turns),
        revisions=sum(a.program != b.program for a, b in pairwise(submitted)),
        sampled_tokens=record.tokens.get("sampled"),
        obligation_ratio=_ratio(record, best),
        obligations=_shares(best.evidence) if best and best.evidence else {},
        findings=tuple(tuple(sorted({f"{f.kind.value}: {f.construct}" for f in e.findings})) for e in evidence),
        assisted_lost=any(not e.intact for e in completed),
    )


def best_submission(record: EpisodeRecord) -> Turn | None:
    """The submission with the highest score, the earliest of equals; ``None`` if nothing was submitted."""

    def total(turn: Turn) -> float:
        score = turn.best_score
        return float("-inf") if score is None or score.total is None else score.total

    return max((turn for turn in record.turns if turn.action == "submit"), key=total, default=None)


def tool_name(tool: ToolIdentity) -> str:
    """A tool in words, such as ``dafny 2.3.0 (z3 4.8.5)``."""
    return f"{tool.name} {tool.version}" + (f" ({tool.solver})" if tool.solver else "")


def _ratio(record: EpisodeRecord, best: Turn | None) -> float | None:
    if record.reward is None:
        return None
    if best is None or best.best_score is None or (best.evidence is not None and not best.evidence.intact):
        return 0.0
    return best.best_score.components.get("obligation_ratio")


def _shares(evidence: Evidence) -> dict[str, float]:
    discharged = evidence.discharged_by_category()
    return {c.value: discharged[c] / total for c, total in evidence.totals.items() if total}
