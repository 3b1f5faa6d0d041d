"""Play a policy's episodes over instances and keep every one as a row.

``verulaw-rl evaluate`` and the trainer, before and after, call :func:`evaluate`. Rows are written as episodes
end, so that a crash, a kill or a full disk loses at most the episodes under way: the same call continues it, playing
what is missing and what could not be scored. A finished file is in the order of instances and samples.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from verulaw_rl.config.endpoint import EndpointConfig
from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.config.evaluate import BudgetConfig
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
    at_once: int = 64,
    workers: int = 16,
    budget: Budget | None = None,
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
        at_once: episodes under way at a time.
        workers: steps of episodes, and requests to an endpoint, at a time.
        budget: no episode is begun once it is spent.
        progress: called with episodes done, earlier ones included, and their number.

    Returns:
        One record per instance and sample, in that order; fewer where the budget was spent.

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
    budget = budget or Budget(BudgetConfig(), EndpointConfig())
    for record in kept.values():
        budget.add(record)
    if missing:
        with out.open("a", encoding="utf-8") as rows:

            def keep(result: EpisodeResult, done: int) -> None:
                rows.write(dump_record(result.record) + "\n")
                rows.flush()
                kept[result.task] = result.record
                budget.add(result.record)
                progress(len(tasks) - len(missing) + done, len(tasks))

            run_episodes(
                policy,
                lambda: environment(suite, split=instances[0].split, settings=settings, services=services),
                _while_unspent(missing, budget),
                seed=seed,
                sampling=sampling,
                max_turn_tokens=max_turn_tokens,
                workers=workers,
                at_once=at_once,
                run=run,
                on_result=keep,
            )
        others = [record for task, record in kept.items() if task not in set(tasks)]
        _rewrite(out, [*(kept[task] for task in tasks if task in kept), *others])
    return [kept[task] for task in tasks if task in kept]


class Budget:
    """What an evaluation may spend, and what it has spent.

    Args:
        config: the limits.
        endpoint: the prices.
    """

    def __init__(self, config: BudgetConfig, endpoint: EndpointConfig) -> None:
        self._config = config
        self._endpoint = endpoint
        self._began_s = time.monotonic()
        self.sampled_tokens = 0
        self.cost = 0.0

    def add(self, record: EpisodeRecord) -> None:
        """Count an episode that was played."""
        sampled = record.tokens.get("sampled", 0)
        prompt = record.tokens.get("billed_prompt", 0)
        self.sampled_tokens += sampled
        self.cost += (prompt * self._endpoint.input_price + sampled * self._endpoint.output_price) / 1e6

    @property
    def spent(self) -> str | None:
        """Which limit is reached, in words; ``None`` while none is."""
        limits = self._config
        if limits.sampled_tokens is not None and self.sampled_tokens >= limits.sampled_tokens:
            return f"{self.sampled_tokens} tokens were sampled"
        if limits.cost is not None and self.cost >= limits.cost:
            return f"{self.cost:.2f} was spent"
        if limits.hours is not None and time.monotonic() - self._began_s >= 3600 * limits.hours:
            return f"{limits.hours} hours have passed"
        return None


def _while_unspent(tasks: Sequence[EpisodeTask], budget: Budget) -> Iterator[EpisodeTask]:
    for task in tasks:
        if budget.spent is not None:
            return
        yield task


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
