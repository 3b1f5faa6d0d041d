"""An evaluation in Inspect's log format, for its viewer and its data frames. Needs the extra ``inspect``.

Each episode is a sample: the policy's turns and what it was told are its messages, its figures its scores.
``verulaw-rl export --to inspect`` calls this.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    write_eval_log,
)
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser, ModelOutput
from inspect_ai.scorer import Score

from verulaw_rl import __version__
from verulaw_rl.episodes.record import EpisodeRecord
from verulaw_rl.evaluation.metrics import summarise
from verulaw_rl.evaluation.outcome import Outcome, best_submission, outcome_of
from verulaw_rl.evaluation.run_folder import Evaluation
from verulaw_rl.suites.instance import Instance

CREATED = "1970-01-01T00:00:00+00:00"
"""Inspect wants a time; records have none, and the same evaluation is to give the same log."""


def write_inspect_log(evaluation: Evaluation, path: Path) -> None:
    """Write a ``.eval`` (compressed) or ``.json`` log, by the suffix of ``path``."""
    write_eval_log(inspect_log(evaluation), str(path))


def inspect_log(evaluation: Evaluation) -> EvalLog:
    """The log."""
    outcomes = [outcome_of(r, evaluation.instances) for r in evaluation.records]
    first = evaluation.records[0]
    suite = next((i.suite for i in evaluation.instances.values()), "")
    ids = list(dict.fromkeys(r.instance for r in evaluation.records))
    epochs = max(int(r.sampling.get("sample", 0)) for r in evaluation.records) + 1
    summary = summarise(outcomes)
    metrics = {
        m.name: EvalMetric(
            name=m.name, value=m.estimate.value, metadata={"low": m.estimate.low, "high": m.estimate.high}
        )
        for m in summary.metrics
        if m.estimate.value is not None
    }
    return EvalLog(
        status="success",
        eval=EvalSpec(
            created=CREATED,
            task=f"{suite or evaluation.name}/{first.task.value}",
            dataset=EvalDataset(name=suite, samples=len(ids), sample_ids=list(ids)),
            model=f"verulaw_rl/{first.policy}",
            config=EvalConfig(epochs=epochs),
            packages={"verulaw_rl": __version__},
            metadata={"tools": list(summary.tools), "policy_version": first.policy_version, "run": evaluation.name},
        ),
        results=EvalResults(
            total_samples=len(outcomes),
            completed_samples=len(outcomes) - summary.unscorable,
            scores=[EvalScore(name="verulaw", scorer="verulaw", metrics=metrics)],
        ),
        samples=[
            _sample(record, outcome, evaluation.instances.get(record.instance))
            for record, outcome in zip(evaluation.records, outcomes, strict=True)
        ],
    )


def _sample(record: EpisodeRecord, outcome: Outcome, instance: Instance | None) -> EvalSample:
    messages: list[ChatMessage] = [ChatMessageUser(content=instance.given if instance else record.instance)]
    for turn in record.turns:
        messages.append(ChatMessageAssistant(content=turn.text))
        if turn.observation:
            messages.append(ChatMessageUser(content=turn.observation))
    best = best_submission(record)
    score = Score(
        value={
            "verified": float(outcome.verified),
            "reward": outcome.reward if outcome.reward is not None else float("nan"),
            "obligation_ratio": outcome.obligation_ratio if outcome.obligation_ratio is not None else float("nan"),
        },
        answer=best.program if best else None,
        explanation=best.evidence.summary if best and best.evidence else None,
        metadata=_facts(outcome),
    )
    return EvalSample(
        id=record.instance,
        epoch=int(record.sampling.get("sample", 0)) + 1,
        input=instance.given if instance else record.instance,
        target=instance.reference if instance else "",
        messages=messages,
        output=ModelOutput.from_content(f"verulaw_rl/{record.policy}", record.turns[-1].text if record.turns else ""),
        scores={"verulaw": score},
        metadata={"instance_hash": record.instance_hash, "seed": record.seed, "end_reason": record.end_reason},
    )


def _facts(outcome: Outcome) -> dict[str, Any]:
    return {
        "scorable": not outcome.unscorable,
        "timeout": outcome.timeout,
        "findings": sorted({f for found in outcome.findings for f in found}),
        "turns": outcome.turns,
        "submissions": outcome.submissions,
        "tool": outcome.tool,
    }


def write_inspect_logs(evaluations: Sequence[Evaluation], out: Path) -> list[Path]:
    """One log per evaluation: ``out`` itself for one, else numbered beside it."""
    paths = [out if len(evaluations) == 1 else out.with_stem(f"{out.stem}-{n}") for n in range(1, len(evaluations) + 1)]
    for evaluation, path in zip(evaluations, paths, strict=True):
        write_inspect_log(evaluation, path)
    return paths
