"""Policies by the text that a person gives: ``scripted:NAME``, or a model folder.

The import of torch stays inside, so that scripted evaluations need no model packages.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.policy import Policy
from verulaw_rl.rollouts.scripted import scripted_policy

SCRIPTED = "scripted:"


def find_policy(given: str, settings: EpisodeConfig) -> Policy:
    """The policy that a person named.

    Raises:
        UserError: no such scripted policy, or a folder that is no model.
    """
    if given.startswith(SCRIPTED):
        return scripted_policy(given.removeprefix(SCRIPTED), settings)
    return load_model_policy(Path(given).expanduser())


def load_model_policy(folder: Path) -> Policy:
    """A model that ``save_pretrained`` wrote, with its tokenizer, on the GPU where there is one.

    Raises:
        UserError: no such folder, or it holds no causal language model with a tokenizer.
    """
    if not folder.is_dir():
        raise UserError(f"no model folder {folder}; give one that `save_pretrained` wrote, or scripted:reference")
    if not (folder / "config.json").is_file():
        raise UserError(f"{folder} is no model: it has no config.json; give the folder that `save_pretrained` wrote")
    # Threads that spin while they wait take the verifier's cores; this is read when OpenMP is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    from verulaw_rl.rollouts.transformers_policy import TransformersPolicy

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        model: Any = AutoModelForCausalLM.from_pretrained(
            folder, dtype="auto" if torch.cuda.is_available() else torch.float32
        )
        tokenizer = AutoTokenizer.from_pretrained(folder)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise UserError(f"{folder} cannot be loaded as a model: {' '.join(str(error).split())[:300]}") from None
    model.to("cuda" if torch.cuda.is_available() else "cpu").eval()
    context = getattr(model.config, "max_position_embeddings", None) or 16384
    return TransformersPolicy(
        model, tokenizer, name=folder.name, version=model_version(folder), context_tokens=int(context)
    )


def model_version(folder: Path) -> str:
    """First twelve digits of a SHA-256 over the weights: the same folder's name may hold other weights tomorrow."""
    digest = hashlib.sha256()
    for file in sorted([*folder.glob("*.safetensors"), *folder.glob("*.bin"), *folder.glob("*.gguf")]):
        with file.open("rb") as weights:
            digest.update(hashlib.file_digest(weights, "sha256").digest())
    return digest.hexdigest()[:12]
