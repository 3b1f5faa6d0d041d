"""Where a model is served: for policies that are evaluated, and for the proof specialist."""

from __future__ import annotations

from pydantic import Field

from verulaw_rl.config.base import ConfigModel


class EndpointConfig(ConfigModel):
    """A server of the OpenAI chat interface (vLLM, SGLang, llama.cpp, hosted models), for ``openai:MODEL`` policies."""

    base_url: str | None = None
    """Such as ``http://localhost:8000/v1``; the ``OPENAI_BASE_URL`` of the environment when absent."""
    api_key_variable: str = "OPENAI_API_KEY"
    """Environment variable that holds the key; none is sent where it is empty, as local servers want it."""
    timeout_s: float = Field(default=600.0, gt=0)
    """Of one request."""
    retries: int = Field(default=5, ge=0)
    """Of a request that met a busy or failing server, each after a longer wait."""
    concurrency: int = Field(default=16, ge=1)
    """Requests at once."""
    input_price: float = Field(default=0.0, ge=0)
    """Per million prompt tokens, in the currency of ``budget.cost``."""
    output_price: float = Field(default=0.0, ge=0)
    """Per million sampled tokens."""
