"""Model folders in, models and tokenizers out; what is wrong with a folder is said in one line.

The warm start, GRPO and a run's evaluations load their models here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.conversation import ChatFormat
from verulaw_rl.rollouts.transformers_policy import TransformersPolicy
from verulaw_rl.shipped import find_file


def load_model(path: str, gguf_file: str | None = None, chat_template: str | None = None) -> tuple[Any, Any]:
    """Model (float32 on a CPU, the checkpoint's own type elsewhere) and tokenizer of a folder.

    Args:
        path: of the folder.
        gguf_file: its file of weights, where they are GGUF.
        chat_template: Jinja file that replaces the tokenizer's chat template.

    Raises:
        UserError: the folder holds no causal language model with a tokenizer and a usable chat template.
    """
    folder = Path(path)
    looks_local = folder.is_absolute() or path.startswith((".", "~")) or folder.exists()
    if looks_local and not (folder / (gguf_file or "config.json")).is_file():
        raise UserError(
            f"{path} is no model folder: it has no {gguf_file or 'config.json'}; give a folder that "
            "`save_pretrained` wrote, or a run's policy/final"
        )
    dtype: Any = "auto" if torch.cuda.is_available() else torch.float32
    options: dict[str, Any] = {"gguf_file": gguf_file} if gguf_file else {}
    try:
        tokenizer = AutoTokenizer.from_pretrained(path, **options)
        model = AutoModelForCausalLM.from_pretrained(path, dtype=dtype, **options)
    except Exception as error:  # whatever a damaged or foreign folder makes the loaders raise
        reason = " ".join(str(error).split())[:300]
        raise UserError(f"cannot load a model from {path}: {type(error).__name__}: {reason}") from error
    if chat_template is not None:
        tokenizer.chat_template = find_file(chat_template, "configs").read_text(encoding="utf-8")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    ChatFormat(tokenizer)
    return model, tokenizer


def load_policy(
    path: str,
    *,
    name: str,
    version: str,
    context_tokens: int,
    gguf_file: str | None = None,
    chat_template: str | None = None,
    batch_size: int = 64,
) -> TransformersPolicy:
    """A policy that samples from a model folder.

    Raises:
        UserError: as :func:`load_model`.
    """
    model, tokenizer = load_model(path, gguf_file, chat_template)
    if torch.cuda.is_available():
        model = model.to("cuda")
    return TransformersPolicy(
        model,
        tokenizer,
        name=name,
        version=version,
        context_tokens=min(context_tokens, getattr(model.config, "max_position_embeddings", context_tokens)),
        batch_size=batch_size,
    )
