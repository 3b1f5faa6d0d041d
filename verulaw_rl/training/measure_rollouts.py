"""Measures rollouts: whether verification hides behind generation, and what TRL's own loop takes for the same.

``verulaw-rl bench rollouts`` prints it. The model is real and its tokens are really sampled, with room for them and
for every answer of the verifier; but it is not trained, so what it writes is read as a scripted turn: the given program
with a comment of its own, which the verifier has never seen and rejects. Both loops read it so, over the same
instances, turns, tokens and verifier.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.config.train import SmallPolicy
from verulaw_rl.episodes.env import ProofEnv
from verulaw_rl.episodes.services import Services
from verulaw_rl.evidence.evidence import Evidence, ObligationResult
from verulaw_rl.evidence.reward import load_reward
from verulaw_rl.languages.base import Task
from verulaw_rl.rollouts.engine import EpisodeTask, RolloutBatch, run_episodes
from verulaw_rl.rollouts.policy import Sampling
from verulaw_rl.rollouts.scripted import GivenPolicy
from verulaw_rl.suites.instance import Instance, Suite
from verulaw_rl.verification.execution import RunResult
from verulaw_rl.verification.verdict import Status

EPISODES = 16
TURNS = 4
TURN_TOKENS = 48
SCRIPTED_S = 1.0
"""A call of the scripted verifier."""
SCRIPTED_WORKERS = 8
"""Calls that the scripted verifier answers at once."""
CONCURRENT = 256
"""Episodes at once where the engine's own speed is measured."""

_SETTINGS = EpisodeConfig(prompt="compact", actions=("submit",), turns=TURNS)
_MODEL = SmallPolicy(hidden_size=160, intermediate_size=448, context_tokens=8192)


class ToolTime:
    """Adds up what the verifier itself took for the candidates collected, waiting for a worker apart."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.candidates = 0
        self._lock = threading.Lock()

    def counted(self, services: Services) -> Services:
        """The services, each episode's calls counted."""

        def own() -> Services:
            inner = services.for_episode()

            def collect(instance: Instance, program: str) -> Evidence:
                evidence = inner.collect(instance, program)
                with self._lock:
                    self.seconds += evidence.times.get("tool_s", 0.0)
                    self.candidates += 1
                return evidence

            return replace(inner, collect=collect)

        return replace(services, own=own)


@dataclass(frozen=True, slots=True)
class Overlap:
    """Our rollouts against what their parts take."""

    wall_s: float
    generation_s: float
    """In which the model sampled."""
    verification_s: float
    """Inside the verifier, divided by its workers: it can take no less."""
    engine_s: float
    """The engine's own, in the thread that samples."""
    candidates: int

    @property
    def ratio(self) -> float:
        """Wall time against the larger of the two parts; 1 is perfect overlap."""
        return self.wall_s / max(self.generation_s, self.verification_s)


def scripted_services(delay_s: float, workers: int) -> Services:
    """A verifier that rejects every program after ``delay_s``, ``workers`` at once."""
    seats = threading.Semaphore(workers)

    def collect(instance: Instance, program: str) -> Evidence:
        if delay_s:
            with seats:
                time.sleep(delay_s)
        return _rejected(instance, program, delay_s)

    return Services(collect, lambda i, p: (), lambda i, p, c: RunResult("ok", ""), load_reward("rewards/obligation.py"))


def _rejected(instance: Instance, program: str, delay_s: float) -> Evidence:
    results = tuple(ObligationResult(o.id, o.category, False, "scripted") for o in instance.obligations)
    return Evidence(
        instance=instance.key,
        instance_hash=instance.content_hash,
        task=instance.task,
        candidate_hash=program[-16:],
        status=Status.FAILED,
        verified=False,
        totals=instance.totals,
        results=results,
        failures=(),
        findings=(),
        messages=(),
        tool=instance.tool,
        times={"tool_s": delay_s},
    )


def turns_per_second(suite: Suite, environment: type[ProofEnv], *, turns: int = 20) -> float:
    """Turns a second of so many concurrent scripted episodes over a verifier that answers at once."""
    settings = _SETTINGS.model_copy(update={"turns": turns})
    services = scripted_services(0, CONCURRENT)
    tasks = [EpisodeTask(suite.instances[n % len(suite.instances)].key, n) for n in range(CONCURRENT)]
    started = time.monotonic()
    batch = run_episodes(
        GivenPolicy(settings),
        lambda: environment(suite, split=None, settings=settings, services=services),
        tasks,
        seed=0,
        sampling=Sampling(),
        workers=CONCURRENT,
    )
    return sum(len(r.record.turns) for r in batch.results) / (time.monotonic() - started)


def our_loop(suite: Suite, environment: type[ProofEnv], services: Services, workers: int, seed: int = 0) -> Overlap:
    """Play the work with our engine."""
    from verulaw_rl.rollouts.transformers_policy import TransformersPolicy

    model, tokenizer = _model(suite)
    policy = TransformersPolicy(model, tokenizer, name="bench", context_tokens=_MODEL.context_tokens)
    tool = ToolTime()
    scripted = scripted_turns(environment)
    counted = tool.counted(services)
    started = time.monotonic()
    batch: RolloutBatch = run_episodes(
        policy,
        lambda: scripted(suite, split=None, settings=_SETTINGS, services=counted),
        _tasks(suite),
        seed=seed,
        sampling=Sampling(),
        max_turn_tokens=TURN_TOKENS,
        workers=EPISODES,
    )
    wall_s = time.monotonic() - started
    assert all(len(r.record.turns) == TURNS for r in batch.results)
    return Overlap(wall_s, batch.sampling_s, tool.seconds / workers, batch.engine_s, tool.candidates)


def trl_loop(suite: Suite, environment: type[ProofEnv], services: Services) -> float:
    """Wall seconds of the same work in the loop of TRL's ``environment_factory``."""
    import torch
    from datasets import Dataset
    from transformers import PrinterCallback
    from trl.trainer import grpo_trainer as trl_module
    from trl.trainer.grpo_config import GRPOConfig

    model, tokenizer = _model(suite)
    tokenizer.chat_template = _TOOL_TEMPLATE
    # Any will do: what it would read is read as the scripted call below.
    tokenizer.response_schema = {"type": "object"}
    scripted = scripted_turns(environment)

    class Played:
        """What TRL makes one of for each rollout."""

        def __init__(self) -> None:
            self._env = scripted(suite, split=None, settings=_SETTINGS, services=services)

        def reset(self, instance: str, **columns: Any) -> str:
            """Begin an episode."""
            return self._env.reset(options={"instance": instance})[0]

        def submit(self, program: str) -> str:
            """Submit a program.

            Args:
                program: the whole program.
            """
            if self._env.episode.end_reason is not None:
                return "The episode is over."
            return self._env.step(program)[0]

        def get_reward(self) -> float:
            """Of the episode."""
            return self._env.episode_reward or 0.0

    call = {"type": "function", "function": {"name": "submit", "arguments": {"program": "x"}}}

    def read_as_scripted(tokenizer: Any, ids: Any, prefix: Any = None, tools: Any = None) -> dict[str, Any]:
        return {"role": "assistant", "content": "", "tool_calls": [call]}

    class Timed(trl_module.GRPOTrainer):
        rollouts_s = 0.0

        def _generate(self, prompts: list[Any]) -> Any:
            started = time.monotonic()
            try:
                return super()._generate(prompts)
            finally:
                self.rollouts_s += time.monotonic() - started

    os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
    rows = [{"prompt": [{"role": "user", "content": ""}], "instance": t.instance} for t in _tasks(suite)[::2]]
    with tempfile.TemporaryDirectory() as folder:
        trainer = Timed(
            model=model,
            args=GRPOConfig(
                output_dir=folder,
                per_device_train_batch_size=EPISODES,
                num_generations=2,
                max_steps=1,
                max_completion_length=_MODEL.context_tokens,
                max_tool_calling_iterations=TURNS,
                report_to="none",
                save_strategy="no",
                disable_tqdm=True,
                bf16=False,
                gradient_checkpointing=False,
                dataloader_pin_memory=False,
            ),
            train_dataset=Dataset.from_list(rows),
            processing_class=tokenizer,
            environment_factory=Played,  # type: ignore[arg-type]
        )
        trainer.remove_callback(PrinterCallback)
        trainer.generation_config.max_new_tokens = TURN_TOKENS
        module: Any = trl_module
        original, module.parse_response = module.parse_response, read_as_scripted
        try:
            torch.manual_seed(0)
            trainer.train()
        finally:
            module.parse_response = original
    return float(trainer.rollouts_s)


def scripted_turns(environment: type[ProofEnv]) -> type[ProofEnv]:
    """The environment, which reads whatever is written as the submission of the given with a comment of its own."""
    number = iter(range(10**9))

    class ScriptedTurns(environment):  # type: ignore[misc, valid-type]
        def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
            """Take the scripted turn in place of what was written."""
            given = self.episode.instance.given
            result: tuple[str, float, bool, bool, dict[str, Any]] = super().step(
                f"<submit>\n{given}// {os.getpid()} {next(number)}\n</submit>"
            )
            return result

    return ScriptedTurns


def bench_suite(instances: Sequence[Instance]) -> Suite:
    """Eight short instances, each played twice."""
    repair = sorted((i for i in instances if i.task is Task.ANNOTATION_REPAIR), key=lambda i: (len(i.given), i.key))
    return Suite("bench", tuple(repair[: EPISODES // 2]))


def _tasks(suite: Suite) -> list[EpisodeTask]:
    return [EpisodeTask(i.key, sample) for i in suite.instances for sample in range(EPISODES // len(suite.instances))]


def _model(suite: Suite) -> tuple[Any, Any]:
    """An untrained model of the quickstart's size and its tokenizer."""
    from verulaw_rl.rollouts.load_policy import load_model
    from verulaw_rl.training.small_policy import create_small_policy

    with tempfile.TemporaryDirectory() as folder:
        create_small_policy(_MODEL, [i.reference for i in suite.instances] * 4, Path(folder), seed=0)
        return load_model(folder)


_TOOL_TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + (message['content'] or '') }}"
    "{% for call in message.get('tool_calls') or [] %}"
    "{{ '<tool_call>' + (call['function'] if 'function' in call else call) | tojson + '</tool_call>' }}{% endfor %}"
    "{{ '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
