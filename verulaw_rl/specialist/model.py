"""Specialists that are models: an annotation-repair policy asked in one turn, here or behind an endpoint.

The question is an annotation-repair episode of one turn over the candidate, in the words of that environment, so a
checkpoint that was trained there needs nothing else. What comes back is read like any assistant's turn.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.config.specialist import EndpointSpecialist, ModelSpecialist
from verulaw_rl.episodes.actions import InvalidAction, parse
from verulaw_rl.episodes.registration import load_environment
from verulaw_rl.errors import UserError
from verulaw_rl.languages.base import Task
from verulaw_rl.rollouts.conversation import ChatFormat
from verulaw_rl.rollouts.policy import Prompt, Sampling, TokenPolicy
from verulaw_rl.specialist.assist import Verify
from verulaw_rl.suites.instance import Instance, Suite

QUESTION = EpisodeConfig(environment="envs/annotation_repair.py", actions=("submit",), turns=1)
"""The episode whose prompt is asked."""


def question(instance: Instance, candidate: str) -> list[dict[str, str]]:
    """Chat messages that ask for the proof of a candidate."""
    asked = replace(instance, task=Task.ANNOTATION_REPAIR, given=candidate)
    environment = load_environment(QUESTION.environment)(Suite("specialist", (asked,)), split=None, settings=QUESTION)
    system, user = environment.system_message(asked), environment.user_message(asked)
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def answered_program(text: str) -> str | None:
    """The program of an answer; ``None`` where it holds none."""
    action = parse(text, QUESTION.wire_format, QUESTION.hand_in, QUESTION.actions)
    return None if isinstance(action, InvalidAction) else action.program


@dataclass
class EmbeddedModel:
    """A model in this process. Answers one question at a time: it shares the machine with the policy."""

    policy: TokenPolicy
    max_tokens: int
    timeout_s: float
    _turn: threading.Lock = field(default_factory=threading.Lock)

    @property
    def name(self) -> str:
        """Of the model."""
        return self.policy.name

    @property
    def version(self) -> str:
        """Of its weights."""
        return self.policy.version

    def complete(self, instance: Instance, candidate: str, verify: Verify | None) -> str | None:
        """The model's answer (see :class:`~verulaw_rl.specialist.assist.Specialist`)."""
        ids = tuple(ChatFormat(self.policy.tokenizer).opening(question(instance, candidate)))
        room = self.policy.context_tokens - len(ids)
        if room < 1:
            return None
        with self._turn:
            (answer,) = self.policy.generate([Prompt(ids, min(room, self.max_tokens), 0)], Sampling(temperature=0.0))
        return answered_program(answer.text)


class EndpointModel:
    """A model behind an OpenAI-compatible server, which is never started from here."""

    def __init__(self, config: EndpointSpecialist) -> None:
        """Connect at the first question.

        Raises:
            UserError: no address.
        """
        import openai

        # A job that serves the specialist knows its address only when it runs.
        served = os.environ.get("VERULAW_SPECIALIST_URL")
        base_url = served or config.endpoint.base_url or os.environ.get("OPENAI_BASE_URL")
        if not base_url:
            raise UserError(
                "specialist.endpoint.base_url is not set; start one with `verulaw-rl serve-specialist CHECKPOINT` and "
                "name its address, such as http://localhost:8100/v1"
            )
        self.name = config.model
        self.version = base_url
        self.timeout_s = config.timeout_s
        self._config = config
        self._client = openai.OpenAI(
            base_url=base_url,
            api_key=os.environ.get(config.endpoint.api_key_variable) or "none",
            timeout=min(config.endpoint.timeout_s, config.timeout_s),
            max_retries=config.endpoint.retries,
        )
        self._turns = threading.Semaphore(config.endpoint.concurrency)

    def complete(self, instance: Instance, candidate: str, verify: Verify | None) -> str | None:
        """The model's answer (see :class:`~verulaw_rl.specialist.assist.Specialist`)."""
        messages: Any = question(instance, candidate)
        with self._turns:
            answer = self._client.chat.completions.create(
                model=self.name,
                messages=messages,
                temperature=self._config.temperature,
                max_tokens=self._config.max_tokens,
                seed=0,
            )
        return answered_program(answer.choices[0].message.content or "") if answer.choices else None


def embedded(config: ModelSpecialist) -> EmbeddedModel:
    """Load a model folder into this process.

    Raises:
        UserError: it is none.
    """
    from verulaw_rl.rollouts.load_policy import load_policy

    folder = Path(config.path).expanduser()
    policy = load_policy(str(folder), name=folder.name, version=str(folder), context_tokens=config.context_tokens)
    return EmbeddedModel(policy, config.max_tokens, config.timeout_s)
