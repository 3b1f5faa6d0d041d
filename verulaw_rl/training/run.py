"""A training run from its config to its report, phase by phase, in one folder.

Suite, warm start, evaluation before, GRPO, evaluation after, report: each is noted in the folder when it is
finished, so that :func:`run_training` on the folder of an earlier attempt does what is left, and GRPO goes on
from its last checkpoint with the very next batch. ``verulaw-rl train`` calls it.
"""

from __future__ import annotations

import errno
import logging
import shutil
import time
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import datasets
from transformers.utils.logging import disable_progress_bar

from verulaw_rl.config.train import SmallPolicy
from verulaw_rl.episodes.env import ProofEnv
from verulaw_rl.episodes.record import EpisodeRecord, record_to_row
from verulaw_rl.episodes.registration import load_environment
from verulaw_rl.episodes.services import Services, live_services
from verulaw_rl.errors import UserError
from verulaw_rl.evaluation.evaluate import evaluate
from verulaw_rl.evaluation.metrics import Summary, percent, summarise
from verulaw_rl.evaluation.outcome import outcome_of
from verulaw_rl.evaluation.policies import model_version
from verulaw_rl.evaluation.report import write_report
from verulaw_rl.evaluation.run_folder import EVALUATIONS, read_rows
from verulaw_rl.evidence.live import limits_of, pool_settings, pool_verifier
from verulaw_rl.rollouts.engine import RolloutBatch
from verulaw_rl.rollouts.load_policy import load_policy
from verulaw_rl.rollouts.transformers_policy import TransformersPolicy
from verulaw_rl.specialist.declared import services_with
from verulaw_rl.suites.instance import Suite, load_suite, save_suite
from verulaw_rl.suites.prepare import language_of, prepare_suite
from verulaw_rl.training.dpo import Pair, pairs_of, train_dpo
from verulaw_rl.training.folder import TrainingFolder, make_folder_whole
from verulaw_rl.training.grpo import (
    Hooks,
    check_trl,
    checkpoints_in,
    play_update,
    save_policy,
    steps_per_update,
    train_grpo,
)
from verulaw_rl.training.metrics import episode_metrics
from verulaw_rl.training.processes import is_first, wait_for
from verulaw_rl.training.reporter import Reporter
from verulaw_rl.training.sampler import make_sampler
from verulaw_rl.training.small_policy import create_small_policy
from verulaw_rl.training.stopping import StoppedError, StopRequest
from verulaw_rl.training.threads import beside_verifier, use_all_cores
from verulaw_rl.training.warm_start import Example, warm_start, warm_start_examples
from verulaw_rl.training.watch import Watch
from verulaw_rl.verification.pool import Pool

logger = logging.getLogger(__name__)

PAIRS = "pairs.jsonl"
"""Ranked episodes, as ids, a row for each batch."""

UNSCORABLE_WARNING = 0.05
"""Share of unscorable episodes above which an update is warned of."""


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """What a run came to."""

    folder: Path
    before: Summary
    after: Summary
    report: Path


def run_training(folder: TrainingFolder, reporter: Reporter, services: Services | None = None) -> TrainingResult | None:
    """Do what is left of a run.

    Args:
        folder: of the run.
        reporter: told how far it is.
        services: what episodes call; live ones from the config when absent.

    Returns:
        What it came to; ``None`` in a process that is not the run's first.

    Raises:
        UserError: bad input, a missing tool, a full disk.
        KeyboardInterrupt: on Ctrl-C, with words that say how to continue.
        StoppedError: it was told by a signal to end, and can be resumed.
    """
    check_trl()
    config = folder.config
    if config.threads is not None:
        use_all_cores()
    handler = logging.FileHandler(folder.path / "log.txt", encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.getLogger("verulaw_rl").addHandler(handler)
    logging.getLogger("verulaw_rl").setLevel(logging.INFO)
    resume = f"`verulaw-rl train --resume {folder.path}`"
    datasets.disable_progress_bars()
    disable_progress_bar()  # type: ignore[no-untyped-call]
    # Deprecations between transformers and TRL are theirs to settle, not a user's to read.
    warnings.filterwarnings("ignore", category=FutureWarning, module="transformers|trl|torch")
    stop = StopRequest()
    try:
        with stop.heard():
            if services is not None:
                return _Run(folder, reporter, services, stop).play_its_part()
            with live_services(config.verification, config.reward, config.episode) as live:
                return _Run(folder, reporter, services_with(live, config.specialist), stop).play_its_part()
    except StoppedError:
        logger.info("told to end; %s continues", resume)
        raise
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted; continue with {resume}") from None
    except UserError:
        raise
    except Exception as error:
        if _disk_full(error, folder.path):
            raise UserError(f"the disk is full; free some space, then continue with {resume}") from error
        logger.exception("the run failed")
        raise
    finally:
        logging.getLogger("verulaw_rl").removeHandler(handler)
        handler.close()


class _Run:
    """One attempt at a run."""

    def __init__(self, folder: TrainingFolder, reporter: Reporter, services: Services, stop: StopRequest) -> None:
        self._folder = folder
        self._config = folder.config
        self._reporter = reporter
        self._services = services
        self._stop = stop
        self._environment = load_environment(self._config.episode.environment)
        self._watch = Watch()

    def play_its_part(self) -> TrainingResult | None:
        """Everything in the run's first process; in the others what they are needed for."""
        if is_first():
            return self.do()
        self.join()
        return None

    def do(self) -> TrainingResult:
        """All phases that are left, in order."""
        suite = self._suite()
        start = self._warm_start(suite)
        before = self._evaluation("before", start, suite)
        final = self._grpo(start, suite)
        after = self._evaluation("after", final, suite)
        report = write_report(self._folder.path)
        if not self._folder.done("report"):
            self._folder.finish("report")
        return TrainingResult(self._folder.path, before, after, report)

    def _suite(self) -> Suite:
        path = self._folder.path / "suite.jsonl"
        if self._folder.done("suite"):
            return load_suite(path)
        started = self._phase("Preparing the suite")
        verification = self._config.verification
        with Pool(pool_settings(verification)) as pool:
            sandbox = pool.sandbox.mode
            verify = pool_verifier(pool, language_of(self._config.suite), limits_of(verification))
            prepared = prepare_suite(self._config.suite, self._environment.task, verify, self._reporter.progress)
        save_suite(prepared.suite, path)
        self._folder.write_pairs(prepared.warm_start)
        tools = sorted({f"{t.name} {t.version} ({t.solver})" for t in (i.tool for i in prepared.suite.instances)})
        self._folder.add_versions(verifier=tools, sandbox=sandbox)
        self._say(
            f"Suite: {len(prepared.train)} training and {len(prepared.heldout)} held-out instances, "
            f"{len(prepared.warm_start)} programs for the warm start"
        )
        self._finish("suite", started, train_split=prepared.train_split, heldout_split=prepared.heldout_split)
        return prepared.suite

    def _warm_start(self, suite: Suite) -> Path:
        """Folder of the policy before GRPO."""
        policy, config = self._config.policy, self._config.warm_start
        target = self._folder.warm_policy
        if self._folder.done("warm_start"):
            return Path(self._folder.facts("warm_start")["policy"])
        started = self._phase("Warm start")
        examples = self._examples(suite)
        source, gguf_file = target.with_name("initial"), None
        if isinstance(policy, SmallPolicy):
            texts = [m["content"] for e in examples for m in (*e["prompt"], *e["completion"])]
            make_folder_whole(source, lambda part: create_small_policy(policy, texts, part, self._config.seed))
        else:
            source, gguf_file = Path(policy.path).expanduser(), policy.gguf_file
        losses: list[dict[str, Any]] = []

        def on_batch(batch: int, loss: float) -> None:
            losses.append({"batch": batch, "warm_start/loss": loss})
            self._reporter.progress(batch, config.batches, f"loss {loss:.3f}")

        if config.batches or gguf_file:
            make_folder_whole(
                target,
                lambda part: warm_start(
                    source,
                    part,
                    examples,
                    config,
                    scratch=self._folder.path / "policy" / "scratch",
                    seed=self._config.seed,
                    gguf_file=gguf_file,
                    chat_template=self._chat_template,
                    on_batch=on_batch,
                ),
            )
            source = target
        self._folder.add_rows("metrics.jsonl", losses)
        self._finish("warm_start", started, policy=str(source), examples=len(examples))
        return source

    def _examples(self, suite: Suite) -> list[Example]:
        pairs = self._folder.read_pairs()
        return warm_start_examples(
            pairs,
            self._env(suite, self._train_split),
            suite.split(self._train_split)[0],
            kept=self._config.warm_start.annotations_kept,
            seed=self._config.seed,
        )

    def _grpo(self, start: Path, suite: Suite) -> Path:
        """Folder of the policy after GRPO."""
        config, target = self._config.grpo, self._folder.final_policy
        if self._folder.done("grpo"):
            return target
        if self._config.method == "dpo":
            return self._dpo(start, suite)
        started = self._phase("GRPO")
        saved = checkpoints_in(self._folder.checkpoints)
        done = int(saved[-1].name.rpartition("-")[2]) // steps_per_update(config) if saved else 0
        self._folder.cut_rows_after(done)
        self._watch = Watch(read_rows(self._folder.path / "metrics.jsonl"))
        if done:
            self._say(f"Continuing after update {done}")
        last = saved[-1] if saved and done >= config.updates else None
        if not config.updates or (last is not None and (last / "model.safetensors").is_file()):
            policy = self._policy(last or start)
            save_policy(policy.model, policy.tokenizer, target)
        elif not (target / "config.json").is_file():
            policy = self._policy(start)
            hooks = Hooks(self._keep_episodes, lambda update, row: self._keep_metrics(update, row, policy, suite))
            self._train(policy, suite, hooks, saved[-1] if saved else None)
        self._finish("grpo", started, updates=config.updates)
        return target

    def _train(self, policy: TransformersPolicy, suite: Suite, hooks: Hooks, resume_from: Path | None) -> None:
        """GRPO in this process, which is one of the trainer's or the only one."""
        tracking = self._config.tracking
        train_grpo(
            policy,
            lambda: self._env(suite, self._train_split),
            [i.key for i in suite.split(self._train_split)],
            self._config.grpo,
            checkpoints=self._folder.checkpoints,
            target=self._folder.final_policy,
            seed=self._config.seed,
            run=self._folder.path.name,
            hooks=hooks,
            resume_from=resume_from,
            threads=self._config.threads,
            wandb_project=tracking.project if tracking.wandb else None,
            tensorboard=self._folder.path / "tensorboard" if tracking.tensorboard else None,
            stop=self._stop,
            machines=self._config.trainer,
            rejection=self._config.method == "rejection",
            instances={i.key: i for i in suite.instances},
            sampling=self._config.rollouts,
            sampler=make_sampler(
                self._config.rollouts,
                self._config.canary,
                policy.tokenizer,
                name=self._folder.path.name,
                context_tokens=policy.context_tokens,
                folder=self._folder.path / "policy" / "sent",
            ),
        )

    def join(self) -> None:
        """What a process does that is not the first: wait for what the first prepares, and train with it."""
        if self._config.method != "grpo" and self._config.method != "rejection":
            raise UserError(f"method {self._config.method} trains in one process; set trainer.processes_per_node: 1")
        wait_for(self._folder, "suite")
        start = Path(str(wait_for(self._folder, "warm_start")["policy"]))
        wait_for(self._folder, "evaluation_before")
        self._folder = TrainingFolder.open(self._folder.path)
        if self._folder.done("grpo") or not self._config.grpo.updates:
            return
        saved = checkpoints_in(self._folder.checkpoints)
        silent = Hooks(lambda update, batch: None, lambda update, row: None)
        self._train(self._policy(start), self._suite(), silent, saved[-1] if saved else None)

    def _dpo(self, start: Path, suite: Suite) -> Path:
        """Folder of the policy after direct preference optimisation on ranked episodes of the one before."""
        config, grpo, target = self._config.dpo, self._config.grpo, self._folder.final_policy
        started = self._phase("Episodes to rank")
        policy = self._policy(start)
        kept = read_rows(self._folder.path / PAIRS)
        done = max((row["update"] for row in kept), default=0)
        self._folder.cut_rows_after(done)
        keys = [i.key for i in suite.split(self._train_split)]
        for update in range(done + 1, grpo.updates + 1):
            batch = play_update(
                policy, lambda: self._env(suite, self._train_split), keys, grpo, update,
                seed=self._config.seed, run=self._folder.path.name, threads=self._config.threads,
            )  # fmt: skip
            self._keep_episodes(update, batch)
            self._folder.add_rows("metrics.jsonl", [{"update": update, **episode_metrics(batch)}])
            pairs = pairs_of(batch.results, config)
            self._folder.add_rows(PAIRS, [{"update": update, "pairs": [asdict(p) for p in pairs]}])
            self._reporter.progress(update, grpo.updates, f"{len(pairs)} pairs")
        self._phase("DPO")
        rows = [pair for row in read_rows(self._folder.path / PAIRS) for pair in row["pairs"]]
        model = train_dpo(
            policy.model,
            policy.tokenizer,
            [Pair(**row) for row in rows],
            config,
            scratch=self._folder.path / "policy" / "scratch",
            seed=self._config.seed,
            machines=self._config.trainer,
            micro_batch_size=grpo.micro_batch_size,
            on_step=lambda step, steps, logs: self._reporter.progress(step, steps, f"loss {logs['loss']}"),
        )
        save_policy(model, policy.tokenizer, target)
        self._finish("grpo", started, updates=grpo.updates, pairs=len(rows))
        return target

    def _keep_episodes(self, update: int, batch: RolloutBatch) -> None:
        rows = ({"update": update, **record_to_row(r.record)} for r in batch.results)
        self._folder.add_rows("episodes.jsonl", rows)
        for result in batch.results:
            if result.error is not None:
                logger.warning("update %d, %s: unscorable: %s", update, result.task, result.error)

    def _keep_metrics(self, update: int, row: dict[str, Any], policy: TransformersPolicy, suite: Suite) -> None:
        every = self._config.evaluation.every
        if every and update % every == 0 and update < self._config.grpo.updates:
            out = self._folder.path / "evaluations" / f"update-{update}.jsonl"
            policy.version = f"update-{update}"
            summary = self._summary(self._evaluate(policy, out, suite), suite)
            names = ("verified", "verified_and_probes")
            row = row | {f"heldout/{name}": summary.get(name).value for name in names}
            self._say(f"Update {update}: held-out verified {percent(summary.get('verified'))}")
        row, news = self._watch.add(row)
        if news is not None:
            logger.warning("update %d: %s", update, news)
            self._reporter.say(f"Warning: {news}")
        self._folder.add_rows("metrics.jsonl", [row])
        if row["unscorable"] > UNSCORABLE_WARNING:
            self._say(
                f"Update {update}: {row['unscorable']:.0%} of the episodes could not be scored; "
                f"{self._folder.path}/log.txt says why"
            )
        parts = [("reward", "{:.2f}"), ("verified", "{:.0%}"), ("kl", "{:.3f}"), ("entropy", "{:.2f}")]
        facts = ", ".join(f"{k} {form.format(row[k])}" for k, form in parts if row.get(k) is not None)
        self._reporter.progress(update, self._config.grpo.updates, facts)

    def _evaluation(self, when: str, folder: Path, suite: Suite) -> Summary:
        """Held-out evaluation; its rows are the phase's record, so a finished one is only read."""
        phase = f"evaluation_{when}"
        started = None if self._folder.done(phase) else self._phase(f"Evaluation {when} GRPO")
        records = self._evaluate(self._policy(folder), self._folder.path / EVALUATIONS[when], suite)
        summary = self._summary(records, suite)
        if started is not None:
            self._say(f"Held-out verified {when} GRPO: {percent(summary.get('verified'))}")
            self._finish(phase, started, verified=summary.get("verified").value)
        return summary

    def _evaluate(self, policy: TransformersPolicy, out: Path, suite: Suite) -> list[EpisodeRecord]:
        config = self._config.evaluation
        instances = suite.split(self._heldout_split)[: config.instances]
        with beside_verifier(self._config.threads):
            return evaluate(
                policy,
                self._environment,
                instances,
                settings=self._config.episode,
                services=self._services,
                out=out,
                samples=config.samples,
                temperature=config.temperature,
                seed=self._config.seed,
                max_turn_tokens=self._config.grpo.max_turn_tokens,
                run=self._folder.path.name,
                progress=self._reporter.progress,
            )

    def _summary(self, records: list[EpisodeRecord], suite: Suite) -> Summary:
        instances = {i.key: i for i in suite.instances}
        return summarise([outcome_of(r, instances) for r in records])

    def _policy(self, folder: Path) -> TransformersPolicy:
        return load_policy(
            str(folder),
            name=self._folder.path.name,
            version=model_version(folder),
            context_tokens=self._config.policy.context_tokens,
            chat_template=self._chat_template,
        )

    def _env(self, suite: Suite, split: str) -> ProofEnv:
        return self._environment(suite, split=split, settings=self._config.episode, services=self._services)

    @property
    def _chat_template(self) -> str | None:
        policy = self._config.policy
        return None if isinstance(policy, SmallPolicy) else policy.chat_template

    @property
    def _train_split(self) -> str:
        return str(self._folder.facts("suite")["train_split"]) if self._folder.done("suite") else "train"

    @property
    def _heldout_split(self) -> str:
        return str(self._folder.facts("suite")["heldout_split"])

    def _phase(self, title: str) -> float:
        logger.info("%s", title)
        self._reporter.phase(title)
        return time.monotonic()

    def _say(self, line: str) -> None:
        logger.info("%s", line)
        self._reporter.say(line)

    def _finish(self, phase: str, started: float, **facts: Any) -> None:
        self._folder.finish(phase, seconds=round(time.monotonic() - started, 1), **facts)


_NOTHING_FREE_BYTES = 2**20


def _disk_full(error: BaseException, folder: Path) -> bool:
    """Whether an error, however the libraries dressed it, is that of a full disk under the run's folder."""
    # torch says of a checkpoint that it could not write only that a position in it is unexpected.
    if isinstance(error, RuntimeError) and shutil.disk_usage(folder).free < _NOTHING_FREE_BYTES:
        return True
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        if "No space left on device" in str(error):
            return True
        error = error.__cause__ or error.__context__  # type: ignore[assignment]
    return False
