"""A policy behind a server of the OpenAI chat interface: vLLM, SGLang, llama.cpp or a hosted model.

For evaluation: text goes in and comes out, the server applies its own chat template. What is the server's fault is
never the policy's: a server that cannot be reached or refuses us ends the evaluation, which can be resumed; a
request that fails after its retries makes its episode unscorable.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import openai

from verulaw_rl.config.endpoint import EndpointConfig
from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.policy import ContextFullError, Reply, Sampling
from verulaw_rl.suites.instance import Instance

_CONTEXT_WORDS = ("context length", "context_length", "context size", "context window", "maximum model length")
"""What servers say of a prompt that is too long."""
_SEED_BITS = 31
"""Servers take a seed of 32 bits at most, some with a sign."""


class OpenAIPolicy:
    """A model's name on an endpoint as a :class:`~verulaw_rl.rollouts.policy.TextPolicy`.

    Args:
        model: name under which the server offers the model.
        endpoint: where, and how patiently.
        sampling: how tokens are chosen.
        max_turn_tokens: sampled tokens per turn at most.

    Raises:
        UserError: no address is given, here or in the environment.
    """

    version = ""

    def __init__(self, model: str, endpoint: EndpointConfig, sampling: Sampling, max_turn_tokens: int) -> None:
        self.name = model
        base_url = endpoint.base_url or os.environ.get("OPENAI_BASE_URL")
        if not base_url:
            raise UserError(
                f"openai:{model} needs --endpoint URL (such as http://localhost:8000/v1) or OPENAI_BASE_URL"
            )
        self.base_url = base_url
        self._sampling = sampling
        self._max_turn_tokens = max_turn_tokens
        self._client = openai.OpenAI(
            base_url=base_url,
            api_key=os.environ.get(endpoint.api_key_variable) or "none",
            timeout=endpoint.timeout_s,
            max_retries=endpoint.retries,
        )

    def reply(self, instance: Instance, messages: Sequence[dict[str, str]], seed: int) -> Reply:
        """The next assistant turn."""
        try:
            answer = self._client.chat.completions.create(
                model=self.name,
                messages=list(messages),
                temperature=self._sampling.temperature,
                max_tokens=self._max_turn_tokens,
                seed=seed % 2**_SEED_BITS,
            )
        except openai.APITimeoutError:
            raise
        except openai.APIConnectionError as error:
            reason = " ".join(str(error.__cause__ or error).split())
            raise UserError(f"cannot reach {self.base_url} ({reason}); when it answers, --resume goes on") from error
        except (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError) as error:
            raise UserError(f"{self.base_url} refuses {self.name!r}: {_said(error)}") from error
        except openai.BadRequestError as error:
            if any(word in _said(error).lower() for word in _CONTEXT_WORDS):
                raise ContextFullError(_said(error)) from error
            raise
        usage = answer.usage
        return Reply(
            text=(answer.choices[0].message.content or "") if answer.choices else "",
            prompt_tokens=usage.prompt_tokens if usage else 0,
            sampled_tokens=usage.completion_tokens if usage else 0,
        )


def _said(error: openai.APIStatusError) -> str:
    return " ".join(str(error.message).split())[:300]
