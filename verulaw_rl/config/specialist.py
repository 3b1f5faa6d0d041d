"""Which proof specialist completes the submissions of code generation; none unless declared."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from verulaw_rl.config.base import ConfigModel
from verulaw_rl.config.endpoint import EndpointConfig


class HoudiniSpecialist(ConfigModel):
    """No model: candidate invariants from templates, of which those stay that the verifier cannot refute."""

    type: Literal["houdini"] = "houdini"
    max_calls: int = Field(default=12, ge=1)
    """Calls of the verifier per candidate at most."""
    timeout_s: float = Field(default=600.0, gt=0)
    """After it a candidate is left as it is."""


class EndpointSpecialist(ConfigModel):
    """A model behind an OpenAI-compatible server: ``verulaw-rl serve-specialist``, vLLM, or any other."""

    type: Literal["endpoint"] = "endpoint"
    model: str = "specialist"
    """Name under which the server offers it."""
    endpoint: EndpointConfig = EndpointConfig()
    max_tokens: int = Field(default=4096, ge=1)
    """Sampled tokens of an answer at most."""
    temperature: float = Field(default=0.0, ge=0)
    """0 decodes greedily, so that a candidate has one completion."""
    timeout_s: float = Field(default=300.0, gt=0)
    """Of one answer, retries included; after it a candidate is left as it is."""


class ModelSpecialist(ConfigModel):
    """A model folder, loaded into the run's own process: for small models."""

    type: Literal["model"] = "model"
    path: str
    """Folder that ``save_pretrained`` wrote, such as ``policy/final`` of an annotation-repair run."""
    context_tokens: int = Field(default=16384, ge=1)
    """Prompt and answer together."""
    max_tokens: int = Field(default=4096, ge=1)
    """Sampled tokens of an answer at most."""
    timeout_s: float = Field(default=300.0, gt=0)
    """Of one answer; after it a candidate is left as it is."""


def _houdini_by_default(given: Any) -> Any:
    return {"type": "houdini", **given} if isinstance(given, dict) else given


SpecialistConfig = Annotated[
    HoudiniSpecialist | EndpointSpecialist | ModelSpecialist,
    Field(discriminator="type"),
    BeforeValidator(_houdini_by_default),
]
"""One of the kinds of specialist, by ``type``; ``houdini`` where the section names none, as in ``specialist: {}``."""
