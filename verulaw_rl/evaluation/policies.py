"""Policies by the text that a person gives: ``scripted:NAME``, or a model folder.

The import of torch stays inside, so that scripted evaluations need no model packages.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.policy import Policy
from verulaw_rl.rollouts.scripted import scripted_policy

SCRIPTED = "scripted:"
CONTEXT_TOKENS = 16384
"""Context of an evaluated model, or its own where that is smaller."""


def find_policy(given: str, settings: EpisodeConfig) -> Policy:
    """The policy that a person named.

    Raises:
        UserError: no such scripted policy, or a folder that is no model.
    """
    if given.startswith(SCRIPTED):
        return scripted_policy(given.removeprefix(SCRIPTED), settings)
    return _model_policy(Path(given).expanduser())


def _model_policy(folder: Path) -> Policy:
    if not folder.is_dir():
        raise UserError(f"no model folder {folder}; give one that `save_pretrained` wrote, or scripted:reference")
    # Threads that spin while they wait take the verifier's cores; this is read when OpenMP is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    from transformers.utils import logging

    from verulaw_rl.rollouts.load_policy import load_policy

    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    return load_policy(
        str(folder.resolve()), name=folder.name, version=model_version(folder), context_tokens=CONTEXT_TOKENS
    )


def model_version(folder: Path) -> str:
    """First twelve digits of a SHA-256 over the weights: the same folder's name may hold other weights tomorrow."""
    digest = hashlib.sha256()
    for file in sorted([*folder.glob("*.safetensors"), *folder.glob("*.bin"), *folder.glob("*.gguf")]):
        with file.open("rb") as weights:
            digest.update(hashlib.file_digest(weights, "sha256").digest())
    return digest.hexdigest()[:12]
