"""What produces the assistant's turns, seen from the engine.

Two kinds: a :class:`TokenPolicy` samples token ids (its ids, masks and log-probabilities can be
trained on), a :class:`TextPolicy` writes text (scripted policies, servers that hide their tokens).
The engine drives both; nothing else here knows which one runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from verulaw_rl.suites.instance import Instance


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are chosen. ``temperature`` 0 decodes greedily."""

    temperature: float = 1.0

    def to_row(self) -> dict[str, Any]:
        """Plain data for the episode's record."""
        return {"temperature": self.temperature, "top_p": 1.0, "top_k": 0}


@dataclass(frozen=True, slots=True)
class Prompt:
    """Token ids to continue, at most ``max_tokens`` further, with the seed of this continuation's random numbers."""

    token_ids: tuple[int, ...]
    max_tokens: int
    seed: int


@dataclass(frozen=True, slots=True)
class Generation:
    """One continuation, exactly as sampled."""

    token_ids: tuple[int, ...]
    """The end-of-turn token included where it was sampled."""
    logprobs: tuple[float, ...]
    """Of each sampled token under the sampled distribution (greedy: under temperature 1)."""
    text: str
    """Decoded, without the end-of-turn token; for reading, never encoded again."""
    finished: bool
    """Whether the end-of-turn token was sampled; otherwise ``max_tokens`` cut it off."""
    error: str | None = None
    """Why there is none: a server that failed, through no fault of the policy."""


OnDone = Callable[[int, Generation], None]
"""Called with a prompt's position as soon as its continuation is complete, in the caller's thread."""


@runtime_checkable
class TokenPolicy(Protocol):
    """A policy whose token ids are seen."""

    name: str
    version: str
    tokenizer: Any
    """A transformers tokenizer with a chat template; ``rollouts.conversation`` renders turns with it."""
    context_tokens: int

    def generate(
        self, prompts: Sequence[Prompt], sampling: Sampling, on_done: OnDone | None = None
    ) -> list[Generation]:
        """Continue every prompt. A continuation depends on its own prompt and seed, not on its neighbours'."""
        ...


@dataclass(frozen=True, slots=True)
class Reply:
    """An assistant turn of a policy that hides its tokens, with what it cost."""

    text: str
    prompt_tokens: int = 0
    """Read for this turn: the whole conversation, as it is billed."""
    sampled_tokens: int = 0


class ContextFullError(Exception):
    """The conversation no longer fits into the policy's context: the episode ends, at no cost."""


@runtime_checkable
class TextPolicy(Protocol):
    """A policy that only writes text."""

    name: str
    version: str

    def reply(self, instance: Instance, messages: Sequence[dict[str, str]], seed: int) -> str | Reply:
        """The next assistant turn; ``messages`` are all turns so far. Called from several threads at once.

        Raises:
            ContextFullError: they no longer fit.
        """
        ...


Policy = TokenPolicy | TextPolicy
