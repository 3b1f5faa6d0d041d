"""Batched sampling from a transformers model, one decode loop for all prompts of a batch.

Exact where ``model.generate`` is not of use to a trainer: ids are returned as sampled with the
log-probability of each, every row draws from its own seed so that a continuation does not depend on
its neighbours, finished rows leave the batch (and are reported at once, so that their verifier call
overlaps the sampling of the others), and equal prompts (a group's) are read once. Padding is on the
left and known from lengths, never from ids, so a pad token that is also the end token is no trouble.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from transformers.cache_utils import Cache, DynamicLayer

from verulaw_rl.rollouts.policy import Generation, OnDone, Prompt, Sampling

_GROW_TOKENS = 64
_COMPACT_BELOW = 0.75


class _RoomyLayer(DynamicLayer):  # type: ignore[no-untyped-call]
    """Keys and values of one layer in a buffer with room to spare: a step writes its token instead of copying all."""

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Append and return everything so far, as views of the buffer."""
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
            self._room_k, self._room_v, self._used = key_states[:, :, :0], value_states[:, :, :0], 0
        end = self._used + key_states.shape[-2]
        if end > self._room_k.shape[-2]:
            self._room_k, self._room_v = (
                self._grown(room, states, end)
                for room, states in ((self._room_k, key_states), (self._room_v, value_states))
            )
        self._room_k[:, :, self._used : end] = key_states
        self._room_v[:, :, self._used : end] = value_states
        self._used = end
        self.keys, self.values = self._room_k[:, :, :end], self._room_v[:, :, :end]
        return self.keys, self.values

    def _grown(self, room: torch.Tensor, states: torch.Tensor, end: int) -> torch.Tensor:
        batch, heads, _, size = states.shape
        out = states.new_zeros((batch, heads, end + _GROW_TOKENS, size))
        out[:, :, : self._used] = room[:, :, : self._used]
        return out

    def batch_select_indices(self, indices: torch.Tensor) -> None:
        """Keep these rows (repeats allowed), in this order."""
        self._room_k = self._room_k.index_select(0, indices)
        self._room_v = self._room_v.index_select(0, indices)
        self.keys, self.values = self._room_k[:, :, : self._used], self._room_v[:, :, : self._used]


class TransformersPolicy:
    """A causal language model and its tokenizer as a :class:`~verulaw_rl.rollouts.policy.TokenPolicy`."""

    def __init__(
        self, model: Any, tokenizer: Any, *, name: str, version: str = "", context_tokens: int, batch_size: int = 64
    ) -> None:
        """Sample from ``model``, at most ``batch_size`` prompts at once."""
        self.model = model
        self.tokenizer = tokenizer
        self.name = name
        self.version = version
        self.context_tokens = context_tokens
        self.batch_size = batch_size
        self._end_ids = frozenset(_end_ids(model, tokenizer))
        self._cache_argument = cache_argument(model)

    def generate(
        self, prompts: Sequence[Prompt], sampling: Sampling, on_done: OnDone | None = None
    ) -> list[Generation]:
        """Continue every prompt (see :class:`~verulaw_rl.rollouts.policy.TokenPolicy`)."""
        results: list[Generation | None] = [None] * len(prompts)
        # Neighbours of like length waste little padding; equal prompts stay together and are read once.
        order = sorted(range(len(prompts)), key=lambda i: (len(prompts[i].token_ids), prompts[i].token_ids, i))
        with _inference(self.model):
            for start in range(0, len(order), self.batch_size):
                chosen = order[start : start + self.batch_size]
                for row, generation in self._batch([prompts[i] for i in chosen], sampling):
                    results[chosen[row]] = generation
                    if on_done is not None:
                        on_done(chosen[row], generation)
        return [g for g in results if g is not None]

    def _batch(self, prompts: list[Prompt], sampling: Sampling) -> Iterator[tuple[int, Generation]]:
        """Yield (row, generation) as each row of one batch finishes."""
        device = next(self.model.parameters()).device
        cache, logits, mask, position = self._prefill(prompts, device)
        uniforms = np.stack([np.random.default_rng(p.seed).random(max(p.max_tokens for p in prompts)) for p in prompts])
        ids: list[list[int]] = [[] for _ in prompts]
        logprobs: list[list[float]] = [[] for _ in prompts]
        active = list(range(len(prompts)))
        """Rows of the current batch, by their number in ``prompts``; a finished one stays until compaction."""
        alive = [p.max_tokens > 0 for p in prompts]
        for row, prompt in enumerate(prompts):
            if prompt.max_tokens <= 0:
                yield row, Generation((), (), "", False)
        step = 0
        while any(alive):
            draws = torch.from_numpy(uniforms[active, step]).to(device)
            tokens, token_logprobs = _choose(logits, sampling.temperature, draws)
            for row, token, logprob in zip(active, tokens.tolist(), token_logprobs.tolist(), strict=True):
                if not alive[row]:
                    continue
                ids[row].append(token)
                logprobs[row].append(logprob)
                ended = token in self._end_ids
                if ended or len(ids[row]) >= prompts[row].max_tokens:
                    alive[row] = False
                    yield row, self._generation(ids[row], logprobs[row], ended)
            step += 1
            if not any(alive):
                return
            kept = [k for k, row in enumerate(active) if alive[row]]
            if len(kept) < _COMPACT_BELOW * len(active):
                rows = torch.tensor(kept, device=device)
                cache.batch_select_indices(rows)
                tokens, mask, position = tokens[rows], mask[rows], position[rows]
                active = [active[k] for k in kept]
            mask = torch.cat([mask, mask.new_ones((len(active), 1))], dim=1)
            position = position + 1
            logits = self.model(
                input_ids=tokens[:, None],
                attention_mask=mask,
                position_ids=position[:, None],
                use_cache=True,
                **{self._cache_argument: cache},
            ).logits[:, -1]

    def _prefill(
        self, prompts: list[Prompt], device: torch.device
    ) -> tuple[Cache, torch.Tensor, torch.Tensor, torch.Tensor]:
        """Read the prompts, each distinct one once: cache, next logits, mask and last position per row."""
        distinct = {p.token_ids: k for k, p in reversed(list(enumerate(prompts)))}
        distinct = {token_ids: k for k, token_ids in enumerate(sorted(distinct, key=lambda t: distinct[t]))}
        width = max(len(t) for t in distinct)
        ids = torch.zeros((len(distinct), width), dtype=torch.long, device=device)
        mask = torch.zeros_like(ids)
        for token_ids, k in distinct.items():
            ids[k, width - len(token_ids) :] = torch.tensor(token_ids, device=device)
            mask[k, width - len(token_ids) :] = 1
        position = (mask.cumsum(-1) - 1).clamp(min=0)
        cache = Cache(layer_class_to_replicate=_RoomyLayer)
        logits = self.model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=position,
            use_cache=True,
            logits_to_keep=1,
            **{self._cache_argument: cache},
        ).logits[:, -1]
        rows = torch.tensor([distinct[p.token_ids] for p in prompts], device=device)
        cache.batch_select_indices(rows)
        return cache, logits[rows], mask[rows], position[rows, -1]

    def _generation(self, ids: list[int], logprobs: list[float], ended: bool) -> Generation:
        text = self.tokenizer.decode(
            ids[:-1] if ended else ids, skip_special_tokens=False, clean_up_tokenization_spaces=False
        )
        return Generation(tuple(ids), tuple(logprobs), text, ended)


def cache_argument(model: Any) -> str:
    """Name of the forward pass's argument that takes the cache: newer transformers renamed it."""
    return "cache" if "cache" in inspect.signature(type(model).forward).parameters else "past_key_values"


def _choose(logits: torch.Tensor, temperature: float, draws: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Next token of each row and its log-probability; one uniform draw a row, through the inverse of the CDF."""
    if temperature == 0:
        logprobs = torch.log_softmax(logits.float(), dim=-1)
        tokens = logprobs.argmax(dim=-1)
    else:
        logprobs = torch.log_softmax(logits.float() / temperature, dim=-1)
        cumulative = logprobs.double().exp().cumsum(dim=-1)
        # Scaled by the last value, so that rounding never leaves a draw beyond the end.
        target = (draws * cumulative[:, -1]).unsqueeze(1)
        tokens = torch.searchsorted(cumulative, target, right=True).squeeze(1).clamp(max=logits.shape[-1] - 1)
    return tokens, logprobs.gather(1, tokens[:, None]).squeeze(1)


def _end_ids(model: Any, tokenizer: Any) -> list[int]:
    configured = getattr(getattr(model, "generation_config", None), "eos_token_id", None)
    configured = configured if isinstance(configured, list) else [configured]
    return sorted({i for i in [*configured, tokenizer.eos_token_id] if i is not None})


@contextmanager
def _inference(model: Any) -> Iterator[None]:
    training = model.training
    model.eval()
    try:
        # Not inference mode: buffers that a forward pass makes anew (rotary tables) must stay usable for training.
        with torch.no_grad():
            yield
    finally:
        model.train(training)
