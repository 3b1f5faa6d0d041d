"""A GRPO trainer that reads the prompt of a group once instead of once per episode.

The episodes of a group share their prompt, and for small models and short proofs the prompt is most of
what a forward and a backward pass compute. TRL's trainer reads ``prompt + completion`` for each row; here
the distinct prompts of a batch are read once into a differentiable cache, and the completions continue
from it. Log-probabilities and gradients are TRL's own up to rounding (a test compares them). ``grpo`` uses it.
"""

from __future__ import annotations

from typing import Any

import torch
from transformers import DynamicCache, PreTrainedModel
from trl.trainer.grpo_trainer import GRPOTrainer

from verulaw_rl.rollouts.transformers_policy import cache_argument

Scored = tuple[torch.Tensor, torch.Tensor | None, torch.Tensor | None]


class PromptsOnceTrainer(GRPOTrainer):
    """TRL's GRPO trainer with another way to compute the same log-probabilities."""

    def _get_per_token_logps_and_entropies(
        self,
        model: Any,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        logits_to_keep: int,
        batch_size: int | None = None,
        compute_entropy: bool = False,
        **others: Any,
    ) -> Scored:
        split = input_ids.size(1) - logits_to_keep
        rows = batch_size or input_ids.size(0)
        plain = all(value is None or value is False for value in others.values())
        if not (plain and split >= 2 and isinstance(model, PreTrainedModel) and not model.is_gradient_checkpointing):
            scored: Scored = super()._get_per_token_logps_and_entropies(
                model, input_ids, attention_mask, logits_to_keep, batch_size, compute_entropy, **others
            )
            return scored
        parts = [
            self._score(model, input_ids[start : start + rows], attention_mask[start : start + rows], split)
            for start in range(0, input_ids.size(0), rows)
        ]
        logps = torch.cat([logps for logps, _ in parts])
        entropies = torch.cat([entropy for _, entropy in parts]) if compute_entropy else None
        return logps, entropies, None

    def _score(
        self, model: Any, input_ids: torch.Tensor, attention_mask: torch.Tensor, split: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probability and entropy of each completion token; prompts end at column ``split``, padded on the left."""
        # The last prompt token goes with the completions: what it predicts is their first token.
        positions = (attention_mask.cumsum(-1) - 1).clamp(min=0)
        head = torch.stack([input_ids[:, : split - 1], attention_mask[:, : split - 1]])
        distinct, which = torch.unique(head, dim=1, return_inverse=True)
        first = torch.zeros(distinct.size(1), dtype=torch.long, device=which.device)
        first.scatter_(0, which, torch.arange(which.numel(), device=which.device))
        cache = DynamicCache()
        argument = {cache_argument(model): cache}
        with self.accelerator.autocast():
            model.base_model(
                input_ids=distinct[0],
                attention_mask=distinct[1],
                position_ids=positions[first, : split - 1],
                use_cache=True,
                **argument,
            )
            cache.batch_select_indices(which)
            tail = input_ids[:, split - 1 :]
            labels = tail.masked_fill(attention_mask[:, split - 1 :] == 0, -100)
            labels[:, 0] = -100
            outputs = model(
                input_ids=tail,
                attention_mask=attention_mask,
                position_ids=positions[:, split - 1 :],
                labels=labels,
                fused_lm_head=True,
                **argument,
            )
        entropy = outputs.entropy if outputs.entropy is not None else torch.zeros_like(outputs.log_probs)
        return outputs.log_probs, entropy
