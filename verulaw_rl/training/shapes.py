"""Shapes of language models, as far as memory and time depend on them: from a folder's ``config.json`` or a short list.

Pure but for reading that file; imports no torch. ``plan`` uses it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verulaw_rl.config.train import PolicyConfig, SmallPolicy
from verulaw_rl.errors import UserError


@dataclass(frozen=True, slots=True)
class ModelShape:
    """A decoder-only model. Of its layers, ``attention_layers`` keep keys and values of every token."""

    name: str
    hidden: int
    layers: int
    attention_layers: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    """Width of a dense feed-forward layer, or of one expert."""
    vocabulary: int
    tied: bool
    experts: int = 0
    experts_per_token: int = 0
    shared_intermediate: int = 0
    """Width of the expert that every token passes."""
    gated_attention: bool = False
    """Attention's output is gated: as many weights again as the queries have."""
    linear_layer_weights: int = 0
    """Weights of a layer's linear attention, where it has that in place of attention."""

    @property
    def embedding_weights(self) -> int:
        """Of the token embedding and, where it is apart, the output layer."""
        return self.vocabulary * self.hidden * (1 if self.tied else 2)

    @property
    def _attention_weights(self) -> int:
        queries = self.hidden * self.heads * self.head_dim
        return queries * (3 if self.gated_attention else 2) + 2 * self.hidden * self.kv_heads * self.head_dim

    @property
    def _mixing_weights(self) -> int:
        linear = self.layers - self.attention_layers
        return self.attention_layers * self._attention_weights + linear * self.linear_layer_weights

    @property
    def _expert_weights(self) -> int:
        return 3 * self.hidden * self.intermediate

    @property
    def parameters(self) -> int:
        """All weights, norms aside (they are under a thousandth)."""
        if not self.experts:
            return self.embedding_weights + self._mixing_weights + self.layers * self._expert_weights
        layer = self.experts * (self._expert_weights + self.hidden) + 3 * self.hidden * self.shared_intermediate
        return self.embedding_weights + self._mixing_weights + self.layers * layer

    @property
    def active_parameters(self) -> int:
        """Weights that one token passes, the embedding's lookup aside."""
        head = self.vocabulary * self.hidden
        if not self.experts:
            return head + self._mixing_weights + self.layers * self._expert_weights
        layer = self.experts_per_token * self._expert_weights + self.hidden * self.experts
        return head + self._mixing_weights + self.layers * (layer + 3 * self.hidden * self.shared_intermediate)

    @property
    def kv_bytes_per_token(self) -> int:
        """Of the cache, in bf16."""
        return 2 * 2 * self.attention_layers * self.kv_heads * self.head_dim


def _dense(name: str, hidden: int, layers: int, heads: int, intermediate: int, tied: bool) -> ModelShape:
    return ModelShape(name, hidden, layers, layers, heads, 8, 128, intermediate, 151_936, tied)


_QWEN35_LINEAR = 2048 * (2 * 16 * 128 + 32 * 128) + 2 * 2048 * 32 * 128
"""Queries, keys and values (16 and 32 heads of 128), gate and output."""

KNOWN = {
    shape.name: shape
    for shape in (
        _dense("Qwen/Qwen3-1.7B", 2048, 28, 16, 6144, True),
        _dense("Qwen/Qwen3-4B", 2560, 36, 32, 9728, True),
        _dense("Qwen/Qwen3-8B", 4096, 36, 32, 12_288, False),
        _dense("Qwen/Qwen3-14B", 5120, 40, 40, 17_408, False),
        # As transformers' Qwen3_5MoeTextConfig gives Qwen3.5-35B-A3B; 3.6 is taken to have the same shape.
        ModelShape(
            "Qwen/Qwen3.6-35B-A3B", 2048, 40, 10, 16, 2, 256, 512, 248_320, False, 256, 8, 512, True, _QWEN35_LINEAR
        ),
    )
}  # fmt: skip
"""Models of the paper by their name on the hub."""


def shape_of(policy: PolicyConfig) -> ModelShape:
    """Shape of a policy.

    Raises:
        UserError: neither a known name nor a folder with a ``config.json`` that says it.
    """
    if isinstance(policy, SmallPolicy):
        head_dim = policy.hidden_size // policy.heads
        return ModelShape(
            "small", policy.hidden_size, policy.layers, policy.layers, policy.heads, 1, head_dim,
            policy.intermediate_size, policy.vocabulary, True,
        )  # fmt: skip
    if policy.path in KNOWN:
        return KNOWN[policy.path]
    file = Path(policy.path).expanduser() / "config.json"
    if not file.is_file():
        raise UserError(
            f"the shape of {policy.path!r} is not known: give a folder with a config.json, or one of {', '.join(KNOWN)}"
        )
    return _read(policy.path, json.loads(file.read_text(encoding="utf-8")))


def _read(name: str, config: dict[str, Any]) -> ModelShape:
    config = config.get("text_config", config)
    try:
        heads, hidden, layers = config["num_attention_heads"], config["hidden_size"], config["num_hidden_layers"]
        experts = int(config.get("num_experts") or 0)
        interval = int(config.get("full_attention_interval") or 1)
        return ModelShape(
            name=name,
            hidden=hidden,
            layers=layers,
            attention_layers=layers // interval,
            heads=heads,
            kv_heads=config.get("num_key_value_heads", heads),
            head_dim=config.get("head_dim") or hidden // heads,
            intermediate=config["moe_intermediate_size"] if experts else config["intermediate_size"],
            vocabulary=config["vocab_size"],
            tied=bool(config.get("tie_word_embeddings", False)),
            experts=experts,
            experts_per_token=int(config.get("num_experts_per_tok") or 0),
            shared_intermediate=int(config.get("shared_expert_intermediate_size") or 0),
            gated_attention=interval > 1,
            linear_layer_weights=_QWEN35_LINEAR if interval > 1 else 0,
        )
    except KeyError as missing:
        raise UserError(f"{name}/config.json says nothing of {missing}; its shape cannot be planned with") from None
