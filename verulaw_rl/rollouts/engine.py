"""Many episodes at once: sampling in batches here, verifier calls of the other episodes meanwhile in threads.

The one driver of episodes: training rollouts, evaluation and model-free validation call
:func:`run_episodes`. An episode's outcome depends on its own seed, never on the order in which others
finish; there are as many results as tasks, in the tasks' order. A failure inside an episode's step is
attributed to it: its record says so, it is unscorable (reward ``None``), and the others go on.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace

from verulaw_rl.episodes.env import ProofEnv
from verulaw_rl.episodes.record import EpisodeRecord
from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.conversation import ChatFormat, Conversation
from verulaw_rl.rollouts.policy import (
    ContextFullError,
    Generation,
    Policy,
    Prompt,
    Sampling,
    TextPolicy,
    TokenPolicy,
)


@dataclass(frozen=True, slots=True)
class EpisodeTask:
    """One episode to play: the instance's key and which of its samples this is."""

    instance: str
    sample: int = 0


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """One episode that was played."""

    task: EpisodeTask
    record: EpisodeRecord
    prompt_ids: tuple[int, ...] = ()
    """Of turn 1. Empty, as all that follow, for a policy that shows no tokens."""
    completion_ids: tuple[int, ...] = ()
    """Everything after the prompt: sampled tokens verbatim, and the environment's between them."""
    mask: tuple[int, ...] = ()
    """1 on tokens sampled in this episode."""
    logprobs: tuple[float, ...] = ()
    error: str | None = None
    """What failed, for an episode that the machinery could not finish."""


@dataclass(frozen=True, slots=True)
class RolloutBatch:
    """Results in the order of the tasks, and where the time went."""

    results: tuple[EpisodeResult, ...]
    sampling_s: float
    wait_s: float
    """Seconds in which nothing could be sampled: every episode waited for the verifier."""
    engine_s: float
    """Seconds of the calling thread that are neither: the engine's own, resetting environments and records included."""


OnResult = Callable[[EpisodeResult, int], None]
"""Called in the calling thread with each result as it comes and the number of results so far."""


def derive_seed(*parts: object) -> int:
    """A 63-bit seed that is a pure function of its parts."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def run_episodes(
    policy: Policy,
    make_env: Callable[[], ProofEnv],
    tasks: Iterable[EpisodeTask],
    *,
    seed: object,
    sampling: Sampling,
    max_turn_tokens: int = 1024,
    workers: int = 16,
    at_once: int | None = None,
    run: str = "",
    on_result: OnResult | None = None,
) -> RolloutBatch:
    """Play every task once.

    Args:
        policy: what writes the assistant's turns.
        make_env: a new environment for one episode; environments share suite and services.
        tasks: the episodes; where ``at_once`` bounds them, taken one by one as others end.
        seed: of the batch (any text or number); an episode's own seed follows from it, instance and sample.
        sampling: how tokens are chosen.
        max_turn_tokens: sampled tokens per turn at most.
        workers: steps of environments that may run at once; more than the verifier's workers, since they wait.
        at_once: episodes under way at a time; all of them when absent.
        run: name of the run, for the records.
        on_result: called with each result as it comes.

    Raises:
        UserError: bad input (no such instance, a chat template that does not fit, a reward that returns nonsense).
        KeyboardInterrupt: on Ctrl-C, after pending steps were dropped and their verifier calls broken off.
    """
    engine = _Engine(policy, make_env, sampling, max_turn_tokens, workers, at_once, run, on_result)
    return engine.play(tasks, seed)


@dataclass(slots=True)
class _Running:
    """An episode under way."""

    index: int
    task: EpisodeTask
    env: ProofEnv
    seed: int
    messages: list[dict[str, str]]
    conversation: Conversation | None
    turn: int = 0
    started_s: float = field(default_factory=time.monotonic)
    step_s: float = 0.0
    first_prompt_tokens: int = 0
    prompt_tokens: int = 0
    sampled_tokens: int = 0
    """Tokens of a policy that hides them, as it counts them."""


class _Engine:
    """State of one call of :func:`run_episodes`."""

    def __init__(
        self,
        policy: Policy,
        make_env: Callable[[], ProofEnv],
        sampling: Sampling,
        max_turn_tokens: int,
        workers: int,
        at_once: int | None,
        run: str,
        on_result: OnResult | None,
    ) -> None:
        self._policy = policy
        self._make_env = make_env
        self._sampling = sampling
        self._max_turn_tokens = max_turn_tokens
        self._workers = workers
        self._at_once = at_once
        self._started = 0
        self._waiting: Iterator[EpisodeTask] = iter(())
        self._seed: object = None
        self._run = run
        self._on_result = on_result
        self._results: dict[int, EpisodeResult] = {}
        self._pending: dict[Future[bool], _Running] = {}
        self._ready: list[_Running] = []
        self._abandoned = threading.Event()
        self._chat: ChatFormat | None = None
        self._sampling_s = 0.0
        self._wait_s = 0.0

    def play(self, tasks: Iterable[EpisodeTask], seed: object) -> RolloutBatch:
        started = time.monotonic()
        threads = ThreadPoolExecutor(max_workers=self._workers, thread_name_prefix="episode")
        self._threads = threads
        try:
            self._waiting, self._seed = iter(tasks), seed
            self._fill()
            while self._ready or self._pending:
                if self._ready:
                    self._advance()
                if self._pending:
                    self._collect()
                self._fill()
        except BaseException:
            self._abandoned.set()
            threads.shutdown(wait=False, cancel_futures=True)
            for running in self._pending.values():
                running.env.cancel()
            raise
        threads.shutdown()
        own_s = time.monotonic() - started - self._sampling_s - self._wait_s
        return RolloutBatch(
            tuple(self._results[i] for i in range(self._started)), self._sampling_s, self._wait_s, own_s
        )

    def _fill(self) -> None:
        """Begin episodes as long as there is room."""
        while self._at_once is None or self._started - len(self._results) < self._at_once:
            task = next(self._waiting, None)
            if task is None:
                return
            self._ready.append(self._start(self._started, task, self._seed))
            self._started += 1

    def _start(self, index: int, task: EpisodeTask, seed: object) -> _Running:
        env = self._make_env()
        own = derive_seed(seed, task.instance, task.sample)
        _, info = env.reset(seed=own % 2**32, options={"instance": task.instance})
        conversation = None
        if isinstance(self._policy, TokenPolicy):
            if self._chat is None:
                self._chat = ChatFormat(self._policy.tokenizer, env.tools)
            conversation = Conversation(self._chat, info["messages"], self._policy.context_tokens)
        return _Running(index, task, env, own, info["messages"], conversation)

    def _advance(self) -> None:
        """Give every ready episode its next turn."""
        ready, self._ready = sorted(self._ready, key=lambda r: r.index), []
        if not isinstance(self._policy, TokenPolicy):
            for running in ready:
                self._submit(running, self._reply_and_step, running, self._policy)
            return
        prompts = []
        sampled = []
        for running in ready:
            assert running.conversation is not None
            room = running.conversation.room_tokens
            if room < 1:
                running.env.truncate()
                self._finish(running)
                continue
            seed = derive_seed(running.seed, running.turn)
            prompts.append(Prompt(running.conversation.token_ids, min(room, self._max_turn_tokens), seed))
            sampled.append(running)
        handing_on_s = 0.0

        def on_done(position: int, generation: Generation) -> None:
            nonlocal handing_on_s
            began = time.monotonic()
            self._replied(sampled[position], generation)
            handing_on_s += time.monotonic() - began

        started = time.monotonic()
        self._policy.generate(prompts, self._sampling, on_done)
        self._sampling_s += time.monotonic() - started - handing_on_s

    def _replied(self, running: _Running, generation: Generation) -> None:
        """Hand a sampled turn to the environment, at once: others are still being sampled."""
        conversation = running.conversation
        assert conversation is not None
        if generation.error is not None:
            self._finish(running, RuntimeError(generation.error))
            return
        conversation.add_reply(generation)
        if not generation.finished and conversation.room_tokens < 1:
            running.env.truncate(text=generation.text)
            self._finish(running)
        else:
            self._submit(running, self._step, running, generation.text)

    def _submit(self, running: _Running, call: Callable[..., bool], *arguments: object) -> None:
        self._pending[self._threads.submit(call, *arguments)] = running

    def _reply_and_step(self, running: _Running, policy: TextPolicy) -> bool:
        if self._abandoned.is_set():
            return False
        instance = running.env.episode.instance
        try:
            reply = policy.reply(instance, running.messages, derive_seed(running.seed, running.turn))
        except ContextFullError:
            running.env.truncate()
            return False
        if isinstance(reply, str):
            return self._step(running, reply)
        running.first_prompt_tokens = running.first_prompt_tokens or reply.prompt_tokens
        running.prompt_tokens += reply.prompt_tokens
        running.sampled_tokens += reply.sampled_tokens
        return self._step(running, reply.text)

    def _step(self, running: _Running, text: str) -> bool:
        """One step of an environment, in a thread: whether the episode goes on."""
        if self._abandoned.is_set():
            return False
        started = time.monotonic()
        try:
            _, _, terminated, truncated, info = running.env.step(text)
            running.messages = info["messages"]
        finally:
            running.step_s += time.monotonic() - started
        return not (terminated or truncated)

    def _collect(self) -> None:
        """Take finished steps; with nothing to sample, wait for half of what is out, so that batches stay large."""
        enough = (len(self._pending) + 1) // 2
        while self._pending:
            started = time.monotonic()
            done, _ = wait(self._pending, return_when=FIRST_COMPLETED)
            self._wait_s += time.monotonic() - started
            for future in sorted(done, key=lambda f: self._pending[f].index):
                self._take(future, self._pending.pop(future))
            self._fill()
            if len(self._ready) >= enough:
                return

    def _take(self, future: Future[bool], running: _Running) -> None:
        try:
            goes_on = future.result()
        except UserError:
            raise
        except Exception as error:
            self._finish(running, error)
            return
        running.turn += 1
        if goes_on and running.conversation is not None:
            goes_on = running.conversation.add_observation(running.messages[-1])
            if not goes_on:
                running.env.truncate()
        if goes_on:
            self._ready.append(running)
        else:
            self._finish(running)

    def _finish(self, running: _Running, error: Exception | None = None) -> None:
        conversation = running.conversation
        said = None if error is None else f"{type(error).__name__}: {error}"
        if error is not None:
            running.env.truncate(reason="error")
        record = running.env.record(
            run=self._run,
            policy=self._policy.name,
            policy_version=self._policy.version,
            sampling=self._sampling.to_row() | {"sample": running.task.sample},
            tokens=_tokens(running),
            times={"episode_s": time.monotonic() - running.started_s, "step_s": running.step_s},
        )
        if error is not None:
            record = replace(record, reward=None, end_reason=f"error: {said}")
        result = EpisodeResult(
            running.task,
            record,
            tuple(conversation.prompt_ids) if conversation else (),
            tuple(conversation.completion_ids) if conversation else (),
            tuple(conversation.mask) if conversation else (),
            tuple(conversation.logprobs) if conversation else (),
            said,
        )
        self._results[running.index] = result
        running.env.close()
        if self._on_result is not None:
            self._on_result(result, len(self._results))


def _tokens(running: _Running) -> dict[str, int]:
    """Token counts of an episode, as far as its policy shows them."""
    if (conversation := running.conversation) is not None:
        prompt, sampled = len(conversation.prompt_ids), conversation.sampled_tokens
        observed = len(conversation.token_ids) - prompt - sampled
        return {"prompt": prompt, "sampled": sampled, "observed": observed}
    if not running.prompt_tokens:
        return {}
    return {
        "prompt": running.first_prompt_tokens,
        "sampled": running.sampled_tokens,
        "billed_prompt": running.prompt_tokens,
    }
