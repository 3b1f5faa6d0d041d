"""Play a policy's episodes over instances and keep every one as a row.

``verulaw-rl evaluate`` and the trainer, before and after, call :func:`evaluate`. Rows are written as episodes
end, so that a killed evaluation loses little: the same call continues it, playing what is missing and what could
not be scored.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.episodes.env import ProofEnv
from verulaw_rl.episodes.record import EpisodeRecord, dump_record
from verulaw_rl.episodes.services import Services
from verulaw_rl.errors import UserError
from verulaw_rl.evaluation.run_folder import read_records
from verulaw_rl.rollouts.engine import EpisodeResult, EpisodeTask, run_episodes
from verulaw_rl.rollouts.policy import Policy, Sampling
from verulaw_rl.suites.instance import Instance, Suite

Progress = Callable[[int, int], None]
"""Called with (done, total)."""


def evaluate(
    policy: Policy,
    environment: type[ProofEnv],
    instances: Sequence[Instance],
    *,
    settings: EpisodeConfig,
    services: Services,
    out: Path,
    samples: int = 1,
    temperature: float = 0.0,
    seed: int = 0,
    max_turn_tokens: int = 1024,
    run: str = "",
    progress: Progress = lambda done, total: None,
) -> list[EpisodeRecord]:
    """Evaluate a policy.

    Args:
        policy: what writes the assistant's turns.
        environment: class of the episodes' environment.
        instances: what is evaluated; all of the environment's task.
        settings: what an episode is.
        services: what episodes call.
        out: JSONL file of records. Rows that are there already are kept if they could be scored.
        samples: episodes per instance.
        temperature: 0 decodes greedily.
        seed: of sampling; the same seed, policy and batch give the same episodes.
        max_turn_tokens: sampled tokens per turn at most.
        run: name of the run, for the records.
        progress: called with episodes done, earlier ones included, and their number.

    Returns:
        One record per instance and sample, in that order.

    Raises:
        UserError: no instances, or ``out`` holds episodes of other instances, another policy or other settings.
    """
    if not instances:
        raise UserError("nothing to evaluate: the split has no instance of the environment's task")
    tasks = [EpisodeTask(i.key, sample) for i in instances for sample in range(samples)]
    sampling = Sampling(temperature=temperature)
    kept = {_task(record): record for record in read_records(out) if record.reward is not None}
    _check_same(kept, instances, policy, settings, sampling, out)
    missing = [task for task in tasks if task not in kept]
    suite = Suite(instances[0].suite, tuple(instances))
    out.parent.mkdir(parents=True, exist_ok=True)
    _rewrite(out, list(kept.values()))
    progress(len(tasks) - len(missing), len(tasks))
    if missing:
        with out.open("a", encoding="utf-8") as rows:

            def keep(result: EpisodeResult, done: int) -> None:
                rows.write(dump_record(result.record) + "\n")
                rows.flush()
                kept[result.task] = result.record
                progress(len(tasks) - len(missing) + done, len(tasks))

            run_episodes(
                policy,
                lambda: environment(suite, split=instances[0].split, settings=settings, services=services),
                missing,
                seed=seed,
                sampling=sampling,
                max_turn_tokens=max_turn_tokens,
                run=run,
                on_result=keep,
            )
    return [kept[task] for task in tasks]


def _task(record: EpisodeRecord) -> EpisodeTask:
    return EpisodeTask(record.instance, int(record.sampling.get("sample", 0)))


def _check_same(
    kept: dict[EpisodeTask, EpisodeRecord],
    instances: Sequence[Instance],
    policy: Policy,
    settings: EpisodeConfig,
    sampling: Sampling,
    out: Path,
) -> None:
    """Refuse to mix episodes that were not played alike."""
    hashes = {i.key: i.content_hash for i in instances}
    for record in kept.values():
        other = ""
        if hashes.get(record.instance, record.instance_hash) != record.instance_hash:
            other = f"instance {record.instance!r} as it was before its suite was rebuilt"
        elif (record.policy, record.policy_version) != (policy.name, policy.version):
            other = f"policy {record.policy!r} {record.policy_version}"
        elif record.settings != settings:
            other = "other episode settings"
        elif record.sampling.get("temperature") != sampling.temperature:
            other = f"temperature {record.sampling.get('temperature')}"
        if other:
            raise UserError(f"{out} holds episodes of {other}; evaluate into another folder")


def _rewrite(path: Path, records: Sequence[EpisodeRecord]) -> None:
    """Leave exactly these rows, all at once: a cut-off line or an unscorable row goes, the rest is never at risk."""
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8") as rows:
        rows.writelines(dump_record(record) + "\n" for record in records)
        rows.flush()
        os.fsync(rows.fileno())
    part.replace(path)
