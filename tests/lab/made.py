"""Any number of made-up records that use every rule of scoring: both tasks, findings, failures of any category,
statuses, faults of the tool and of the program, several submissions, wasted turns, assisted scores."""

import json
import random
from dataclasses import replace
from pathlib import Path

from tests.evidence.factory import evidence, finding
from verulaw_rl.config.episode import EpisodeConfig, EpisodeTerms
from verulaw_rl.episodes.action import InvalidAction
from verulaw_rl.episodes.record import EpisodeRecord, Turn, record_to_row, rescore
from verulaw_rl.evidence.evidence import Evidence
from verulaw_rl.evidence.reward import Score, load_reward
from verulaw_rl.languages.base import Category, FindingKind, Task
from verulaw_rl.verification.verdict import Status

REWARD = load_reward("rewards/obligation.py")


def made_evidence(draw: random.Random) -> Evidence:
    totals = {c: draw.choice((0, 0, 1, 2, 3, 5)) for c in Category}
    status = draw.choices((*Status, None), (20, 50, 5, 10, 10, 5))[0]
    kinds = draw.choices(((), (FindingKind.SPECIFICATION,), (FindingKind.PROOF,), tuple(FindingKind)), (80, 8, 8, 4))[0]
    made = evidence(
        totals,
        totals if status is Status.VERIFIED else {c: draw.randint(0, n) for c, n in totals.items()},
        task=draw.choice(list(Task)),
        status=status,
        failures=()
        if status is Status.VERIFIED
        else tuple(draw.choices(list(Category), k=draw.choice((0, 0, 1, 2, 4)))),
        findings=tuple(finding(kind) for kind in kinds),
        probes=tuple(draw.sample(list(Category), draw.randint(0, 2))),
        program_fault=draw.random() < 0.5,
    )
    return replace(made, probes_unsettled=draw.random() < 0.03)


def made_turn(draw: random.Random) -> Turn:
    kind = draw.choices(("submit", "invalid", "verify", "audit"), (60, 15, 15, 10))[0]
    if kind == "invalid":
        return Turn("nothing", "say it again", invalid=InvalidAction("no_action", "there is no action"))
    if kind == "audit":
        return Turn("<audit>", "clean", action="audit", program="method M() {}\n")
    if kind == "verify":
        return Turn("<verify>", "failed", action="verify", program="method M() {}\n", evidence=made_evidence(draw))
    assisted = Score(draw.uniform(-1, 3), {}, "partial") if draw.random() < 0.1 else None
    kept = made_evidence(draw) if assisted is not None and draw.random() < 0.5 else None
    return Turn(
        "<submit>",
        "failed",
        action="submit",
        program="method M() {}\n",
        evidence=made_evidence(draw),
        score=Score(0.0, {}, "partial"),
        assisted=assisted,
        assisted_evidence=kept,
        unchanged=draw.random() < 0.2,
    )


def made_records(number: int, seed: int = 0) -> list[EpisodeRecord]:
    draw = random.Random(seed)
    terms = EpisodeTerms()
    records = []
    for n in range(number):
        record = EpisodeRecord(
            instance=f"made/{n // 8 % 40}",
            instance_hash="0" * 64,
            task=Task.ANNOTATION_REPAIR,
            environment="AnnotationRepair",
            settings=EpisodeConfig(),
            turns=tuple(made_turn(draw) for _ in range(draw.choice((0, 1, 1, 2, 3, 7)))),
            end_reason="turn_budget",
            reward=None,
            direct_score=None,
            assisted_score=None,
            components={},
            reward_name="",
            reward_weights={},
            terms=terms,
            tools=(),
            policy="made",
            policy_version=str(n // 320),
        )
        records.append(rescore(record, REWARD, terms))
    return records


def write_records(folder: Path, records: list[EpisodeRecord]) -> Path:
    """A run folder with these training episodes, eight to a group."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = ({"update": n // 64 + 1, **record_to_row(r)} for n, r in enumerate(records))
    (folder / "episodes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder
