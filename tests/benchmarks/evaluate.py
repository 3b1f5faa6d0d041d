"""Seconds and memory of evaluating the scripted reference: verified anew, and again from the cache.

    python tests/benchmarks/evaluate.py dafnybench.jsonl [INSTANCES [SOLVER_S]]

Every episode is a submission that is audited, verified and checked obligation by obligation, probes included. The
suite's instances of both tasks count, in their order, until there are INSTANCES (500), with the limit of solver work
that the suite was built with (15 s). Workers are warm: each has verified a program before the clock starts. The goals
on two idle cores: 500 instances in under 6 minutes anew and under 20 s from the cache, in less than 1.5 GiB with all
verifiers.
"""

import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

from verulaw_rl.config.episode import EpisodeConfig, RewardConfig
from verulaw_rl.config.verification import CacheConfig, VerificationConfig
from verulaw_rl.episodes.registration import load_environment
from verulaw_rl.episodes.services import Services, live_services
from verulaw_rl.evaluation.evaluate import evaluate
from verulaw_rl.evaluation.metrics import summarise
from verulaw_rl.evaluation.outcome import outcome_of
from verulaw_rl.languages.base import Task
from verulaw_rl.rollouts.scripted import ReferencePolicy
from verulaw_rl.suites.instance import Instance, load_suite

ENVIRONMENTS = {Task.ANNOTATION_REPAIR: "envs/annotation_repair.py", Task.CODE_GENERATION: "envs/code_generation.py"}


class Peak:
    """Most memory that this process and all below it held at once, looked at every half second."""

    def __init__(self) -> None:
        self.own = self.tree = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Peak":
        self._thread.start()
        return self

    def __exit__(self, *why: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        me = psutil.Process()
        while not self._stop.wait(0.5):
            own = me.memory_info().rss
            tree = own
            for child in me.children(recursive=True):
                try:
                    tree += child.memory_info().rss
                except psutil.NoSuchProcess:
                    continue
            self.own, self.tree = max(self.own, own), max(self.tree, tree)


def play(instances: list[Instance], services: Services, out: Path) -> tuple[int, list[str]]:
    """Evaluate both tasks; episodes, and the instances of those that did not verify with every probe."""
    records = []
    for task, file in ENVIRONMENTS.items():
        chosen = [i for i in instances if i.task is task]
        if chosen:
            settings = EpisodeConfig(environment=file, turns=1)
            environment = load_environment(file)
            rows = out / f"{task.value}.jsonl"
            records += evaluate(
                ReferencePolicy(settings), environment, chosen, settings=settings, services=services, out=rows
            )
    summarise([outcome_of(r, {i.key: i for i in instances}) for r in records])
    return len(records), [r.instance for r in records if not outcome_of(r).verified_and_probes]


def main() -> None:
    suite = load_suite(Path(sys.argv[1]))
    wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    instances = list(suite.instances[:wanted])
    with tempfile.TemporaryDirectory() as folder, Peak() as peak:
        solver_s = float(sys.argv[3]) if len(sys.argv) > 3 else 15.0
        config = VerificationConfig(cache=CacheConfig(path=f"{folder}/cache"), solver_s=solver_s)
        with live_services(config, RewardConfig(), EpisodeConfig()) as services:
            spare = suite.instances[-1]
            for k in range(4):  # so that every worker runs
                services.collect(spare, spare.reference + "\n" * k)
            for what in ("anew", "from the cache"):
                (Path(folder) / what).mkdir()
                began, cpu = time.monotonic(), time.process_time()
                episodes, unproved = play(instances, services, Path(folder) / what)
                took, cpu = time.monotonic() - began, time.process_time() - cpu
                print(f"{what}: {episodes} episodes, {episodes - len(unproved)} verified with every probe")
                for key in unproved:
                    print(f"  not {key}")
                print(f"{what}: {took:.1f} s, of which {cpu:.1f} s of our own CPU")
    print(f"most memory: {peak.own / 2**20:.0f} MiB of our own, {peak.tree / 2**20:.0f} MiB with the verifiers")


if __name__ == "__main__":
    main()
