"""Episode records and run folders made from plain data, for the pure parts of evaluation."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from verulaw_rl.config.episode import EpisodeConfig, EpisodeTerms
from verulaw_rl.episodes.record import EpisodeRecord, Turn, dump_record
from verulaw_rl.evidence.evidence import Evidence, Message, ObligationResult
from verulaw_rl.evidence.reward import Score
from verulaw_rl.languages.base import Category, Finding, FindingKind, Task
from verulaw_rl.suites.instance import Instance, Obligation, Suite, save_suite
from verulaw_rl.verification.verdict import Status, ToolIdentity

DAFNY = ToolIdentity("dafny", "2.3.0", "z3 4.8.5")

GIVEN = """\
method Sum(n: nat) returns (s: nat)
  ensures s == n * 2
{
  s := 0;
  var i := 0;
  while i < n
  {
    s := s + 2;
    i := i + 1;
  }
}
"""
PROVED = GIVEN.replace("  while i < n\n", "  while i < n\n    invariant i <= n && s == 2 * i\n")
TRIED = GIVEN.replace("  while i < n\n", "  while i < n\n    invariant s <= 2 * i && 0 <= 1 < 2\n")

FINDINGS = {
    "specification": Finding(
        FindingKind.SPECIFICATION, "clause_changed", "Sum", 2, "the ensures clause changed", "keep it"
    ),
    "proof": Finding(FindingKind.PROOF, "assume", "Sum", 6, "an assume was added", "assert it"),
}


def make_instance(key: str, family: str = "sums", difficulty: int = 1) -> Instance:
    return Instance(
        key=key,
        language="dafny",
        task=Task.ANNOTATION_REPAIR,
        suite="seed",
        program=key,
        group=key,
        split="heldout",
        given=GIVEN,
        specification=(("Sum", "ensures s == n * 2"),),
        reference=PROVED,
        obligations=(Obligation("post:Sum:0", Category.POSTCONDITION, "Sum", "s == n * 2", clause=0),),
        probes=(),
        vacuous=(),
        covered=("Sum",),
        tool=DAFNY,
        family=family,
        difficulty=difficulty,
    ).with_hash()


def make_evidence(key: str, outcome: str, probes: tuple[int, int] = (0, 0)) -> Evidence:
    """Evidence of a submission; ``outcome`` is a status, ``specification`` or ``proof``."""
    verified = outcome == "verified"
    results = [ObligationResult("post:Sum:0", Category.POSTCONDITION, verified)]
    results += [
        ObligationResult(f"probe:{n}", Category.INVARIANT, n < probes[0], is_probe=True) for n in range(probes[1])
    ]
    rejected = outcome in FINDINGS
    message = Message(Category.POSTCONDITION, "error", 10, 0, "A postcondition might not hold on this return path.")
    return Evidence(
        instance=key,
        instance_hash="0" * 64,
        task=Task.ANNOTATION_REPAIR,
        candidate_hash=outcome,
        status=None if rejected else Status(outcome),
        verified=verified,
        totals={Category.POSTCONDITION: 1, Category.INVARIANT: probes[1]},
        results=tuple(results),
        failures=(),
        findings=(FINDINGS[outcome],) if rejected else (),
        messages=() if verified or rejected else (message,),
        tool=None if rejected else DAFNY,
        summary="1 verified, 0 errors" if verified else "0 verified, 1 error",
    )


SCORES = {
    "verified": 3.0,
    "specification": -1.0,
    "proof": -3.0,
    "error": None,
    "failed": 0.25,
    "timeout": 0.25,
    "invalid": 0.0,
}


def make_record(
    key: str, *outcomes: str, probes: tuple[int, int] = (0, 0), tool: ToolIdentity = DAFNY, seed: int = 0
) -> EpisodeRecord:
    """A record with one submission per outcome; none of them is a turn without a valid action."""
    turns = tuple(
        Turn(
            text=f"<submit>\n{PROVED if outcome == 'verified' else TRIED}</submit>",
            observation="",
            action="submit",
            program=PROVED if outcome == "verified" else TRIED,
            evidence=make_evidence(key, outcome, probes),
            score=Score(SCORES[outcome], {}, outcome),
        )
        for outcome in outcomes
    )
    scores = [turn.score.total for turn in turns if turn.score and turn.score.total is not None]
    reward = max(scores, default=None if turns else -1.5)
    return EpisodeRecord(
        instance=key,
        instance_hash="0" * 64,
        task=Task.ANNOTATION_REPAIR,
        environment="AnnotationRepair",
        settings=EpisodeConfig(),
        turns=turns or (Turn("I give up", "no action"),),
        end_reason="verified" if "verified" in outcomes else "turn_budget",
        reward=reward,
        direct_score=reward,
        assisted_score=None,
        components={},
        reward_name="obligation",
        reward_weights={},
        terms=EpisodeTerms(),
        tools=(tool,),
        policy="small",
        seed=seed,
    )


@pytest.fixture
def record() -> Callable[..., EpisodeRecord]:
    return make_record


@pytest.fixture
def evidence() -> Callable[..., Evidence]:
    return make_evidence


@pytest.fixture
def instance() -> Callable[..., Instance]:
    return make_instance


def write_run(
    folder: Path,
    evaluations: dict[str, Sequence[EpisodeRecord]],
    metrics: Sequence[dict[str, Any]] = (),
    instances: Sequence[Instance] = (),
    config: str = "name: trial\ngrpo: {updates: 40}\nseed: 3\n",
) -> Path:
    """Write a run folder: evaluations by name, and the metrics of a training run."""
    folder.mkdir()
    (folder / "config.yaml").write_text(config)
    (folder / "versions.json").write_text(json.dumps({"verulaw_rl": "0.1.0", "python": "3.11.7", "sandbox": "bwrap"}))
    for name, records in evaluations.items():
        file = "evaluation.jsonl" if name == "evaluation" else f"evaluation-{name}.jsonl"
        (folder / file).write_text("".join(dump_record(r) + "\n" for r in records))
    if metrics:
        (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in metrics))
    if instances:
        save_suite(Suite("seed", tuple(instances)), folder / "suite.jsonl")
    return folder


@pytest.fixture
def run_folder(tmp_path: Path) -> Callable[..., Path]:
    return partial(write_run, tmp_path / "trial")
