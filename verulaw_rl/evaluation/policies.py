"""Policies by the text that a person gives: a scripted one, a model's folder, file or hub name, or an endpoint's model.

The imports of torch and of the client stay inside, so that scripted evaluations need neither.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from verulaw_rl.config.endpoint import EndpointConfig
from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.episodes.services import Services
from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.policy import Policy, Sampling
from verulaw_rl.rollouts.scripted import SCRIPTED_POLICIES
from verulaw_rl.specialist.baseline import NAME as HOUDINI
from verulaw_rl.specialist.baseline import HoudiniPolicy

SCRIPTED = "scripted:"
ENDPOINT = "openai:"
GGUF = ".gguf"
CONTEXT_TOKENS = 16384
"""Context of an evaluated model, or its own where that is smaller."""


def find_policy(
    given: str,
    settings: EpisodeConfig,
    *,
    endpoint: EndpointConfig | None = None,
    sampling: Sampling | None = None,
    max_turn_tokens: int = 1024,
    services: Services | None = None,
) -> Policy:
    """The policy that a person named.

    Args:
        given: ``scripted:NAME``, ``openai:MODEL``, a model folder, a GGUF file, or ``OWNER/NAME`` on the hub.
        settings: what an episode is.
        endpoint: where ``openai:`` models are.
        sampling: how an endpoint's tokens are chosen; greedily when absent. Other policies are told by the engine.
        max_turn_tokens: sampled tokens per turn of an endpoint at most.
        services: whose verifier ``scripted:houdini`` searches with; others need none.

    Raises:
        UserError: no such scripted policy, a folder that is no model, or an endpoint without an address.
    """
    if given.startswith(SCRIPTED):
        return _scripted_policy(given.removeprefix(SCRIPTED), settings, services)
    if given.startswith(ENDPOINT):
        if settings.wire_format != "tags":
            raise UserError("openai: policies write actions as tags; set episode.wire_format: tags")
        from verulaw_rl.rollouts.openai_policy import OpenAIPolicy

        chosen = sampling or Sampling(temperature=0.0)
        return OpenAIPolicy(given.removeprefix(ENDPOINT), endpoint or EndpointConfig(), chosen, max_turn_tokens)
    path = Path(given).expanduser()
    if not path.exists() and _is_hub_name(given):
        return _hub_policy(given)
    return _model_policy(path)


def _scripted_policy(name: str, settings: EpisodeConfig, services: Services | None) -> Policy:
    if name == HOUDINI and services is not None:
        return HoudiniPolicy(settings, services)
    if name not in SCRIPTED_POLICIES:
        raise UserError(f"no scripted policy {name!r}; there are: {', '.join([*SCRIPTED_POLICIES, HOUDINI])}")
    return SCRIPTED_POLICIES[name](settings)


def _is_hub_name(given: str) -> bool:
    owner, slash, name = given.partition("/")
    return bool(slash and owner and name) and "/" not in name and not given.startswith((".", "~"))


def _hub_policy(name: str) -> Policy:
    from huggingface_hub import snapshot_download

    try:
        folder = Path(snapshot_download(name))
    except Exception as error:  # no network, no such model, no right to it
        reason = " ".join(str(error).split())[:300]
        raise UserError(f"no model folder {name}, and the hub gives none ({type(error).__name__}: {reason})") from error
    return _load(folder, name)


def _model_policy(path: Path) -> Policy:
    if path.suffix == GGUF and path.is_file():
        return _load(path.parent, path.stem, path.name)
    if not path.is_dir():
        raise UserError(f"no model folder {path}; give one that `save_pretrained` wrote, or scripted:reference")
    return _load(path, path.name)


def _load(folder: Path, name: str, gguf_file: str | None = None) -> Policy:
    # Threads that spin while they wait take the verifier's cores; this is read when OpenMP is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    from transformers.utils import logging

    from verulaw_rl.rollouts.load_policy import load_policy

    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    return load_policy(
        str(folder.resolve()),
        name=name,
        version=model_version(folder, gguf_file),
        context_tokens=CONTEXT_TOKENS,
        gguf_file=gguf_file,
    )


def model_version(folder: Path, file: str | None = None) -> str:
    """First twelve digits of a SHA-256 over the weights: the same folder's name may hold other weights tomorrow."""
    digest = hashlib.sha256()
    files = [folder / file] if file else [f for kind in ("*.safetensors", "*.bin", "*.gguf") for f in folder.glob(kind)]
    for weights in sorted(files):
        with weights.open("rb") as data:
            digest.update(hashlib.file_digest(data, "sha256").digest())
    return digest.hexdigest()[:12]
