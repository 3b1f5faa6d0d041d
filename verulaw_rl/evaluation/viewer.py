"""Every episode of some evaluations as data that a page can hold and open at once. Pure; the report calls it.

The page keeps a small index of all episodes, and their turns in compressed parts (gzip in base64) that its script
unpacks when an episode is opened: 5,000 episodes stay small and open quickly. Hidden probes and references are shown,
so the page is for evaluators, not for agents.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verulaw_rl.episodes.record import EpisodeRecord, Turn
from verulaw_rl.evaluation.outcome import Outcome, outcome_of
from verulaw_rl.evaluation.run_folder import Evaluation
from verulaw_rl.suites.instance import Instance

KINDS = {
    "verified": "verified",
    "timeout": "ran out of the verifier's limits",
    "specification": "specification changed",
    "proof": "proof escaped",
    "failed": "not verified",
    "nothing": "nothing submitted",
    "unscorable": "could not be scored",
}
"""What an episode came to: name and words."""
EPISODES_A_PART = 40


@dataclass(frozen=True, slots=True)
class ViewerData:
    """What a page is given."""

    index: dict[str, Any]
    parts: tuple[str, ...]
    """Each the base64 of gzipped JSON."""


def viewer_data(evaluations: Sequence[Evaluation]) -> ViewerData:
    """All episodes of all evaluations, those of one instance beside each other."""
    places: dict[str, int] = {}
    known: dict[str, Instance] = {}
    played: list[tuple[int, int, int, EpisodeRecord]] = []
    for run, evaluation in enumerate(evaluations):
        known = evaluation.instances | known
        for record in evaluation.records:
            place = places.setdefault(record.instance, len(places))
            played.append((place, run, int(record.sampling.get("sample", 0)), record))
    played.sort(key=lambda p: p[:3])
    rows: list[list[Any]] = []
    parts: list[str] = []
    for start in range(0, len(played), EPISODES_A_PART):
        chosen = played[start : start + EPISODES_A_PART]
        for position, (place, run, sample, record) in enumerate(chosen):
            outcome = outcome_of(record, known)
            found = sorted({construct for found in outcome.findings for construct in found})
            row = [run, place, sample, kind_of(outcome), record.reward, outcome.obligation_ratio]
            rows.append([*row, outcome.turns, outcome.submissions, record.end_reason, found, len(parts), position])
        keys = dict.fromkeys(record.instance for *_, record in chosen)
        texts = {k: [known[k].given, known[k].reference] for k in keys if k in known}
        parts.append(_packed({"texts": texts, "episodes": [_episode(record) for *_, record in chosen]}))
    instances = [
        [key, known[key].family if key in known else "", known[key].difficulty if key in known else 0] for key in places
    ]
    index = {"runs": [e.name for e in evaluations], "kinds": KINDS, "instances": instances, "episodes": rows}
    return ViewerData(index, tuple(parts))


def kind_of(outcome: Outcome) -> str:
    """What an episode came to, as one of :data:`KINDS`: of several reasons the one that its reward shows."""
    if outcome.unscorable:
        return "unscorable"
    if outcome.verified:
        return "verified"
    if outcome.submissions == 0:
        return "nothing"
    if outcome.proof_escape and all(any(f.startswith("proof") for f in found) for found in outcome.findings):
        return "proof"
    if outcome.findings and all(outcome.findings):
        return "specification"
    return "timeout" if outcome.timeout else "failed"


def _episode(record: EpisodeRecord) -> dict[str, Any]:
    return {
        "policy": f"{record.policy} {record.policy_version}".strip(),
        "seed": record.seed,
        "tokens": record.tokens,
        "tools": [f"{t.name} {t.version} ({t.solver})" for t in record.tools],
        "turns": [_turn(turn) for turn in record.turns],
    }


def _turn(turn: Turn) -> dict[str, Any]:
    out: dict[str, Any] = {"action": turn.action, "text": turn.text, "told": turn.observation}
    if turn.program is not None:
        out["program"] = turn.program
    if turn.invalid is not None:
        out["invalid"] = turn.invalid.reason
    if turn.unchanged:
        out["unchanged"] = True
    if turn.score is not None:
        out["score"], out["components"] = turn.score.total, turn.score.components
    if turn.assisted is not None:
        out["assisted"] = turn.assisted.total
    if turn.assisted_program is not None:
        out["completed"] = turn.assisted_program
    evidence = turn.evidence
    if evidence is not None:
        out["status"] = evidence.status.value if evidence.status else "not run"
        out["summary"] = evidence.summary
        out["verified"] = evidence.verified and evidence.intact
        out["said"] = [
            [m.line, m.severity, m.message, m.category.value if m.category else ""] for m in evidence.messages
        ]
        out["found"] = [[f.line, f.kind.value, f.construct, f.message, f.advice] for f in evidence.findings]
        out["obligations"] = [[r.id, r.discharged, r.reason] for r in evidence.results if not r.is_probe]
        out["probes"] = [[r.id, r.discharged, r.reason] for r in evidence.results if r.is_probe]
    return out


def _packed(data: Mapping[str, Any]) -> str:
    text = json.dumps(data, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()
