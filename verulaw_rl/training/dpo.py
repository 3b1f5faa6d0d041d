"""Direct preference optimisation from ranked episodes: a comparison to GRPO on the same environment and reward.

The policy before plays every batch; within each group the best episode is preferred to the worst, the second best to
the second worst, and so on. TRL's ``DPOTrainer`` does the optimisation, over the ids that were sampled: what the
environment said is read and not trained, in the preferred episode as in the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from transformers import PrinterCallback, TrainerCallback
from trl.trainer.dpo_config import DPOConfig
from trl.trainer.dpo_trainer import DataCollatorForPreference, DPOTrainer

from verulaw_rl.config.machines import TrainerConfig
from verulaw_rl.config.train import DpoConfig
from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.engine import EpisodeResult
from verulaw_rl.training.grpo import adapters


@dataclass(frozen=True, slots=True)
class Pair:
    """Two episodes of one instance, of which the first earned more."""

    prompt_ids: tuple[int, ...]
    chosen_ids: tuple[int, ...]
    rejected_ids: tuple[int, ...]
    chosen_mask: tuple[int, ...]
    """1 on tokens that were sampled."""
    rejected_mask: tuple[int, ...]


def pairs_of(results: Sequence[EpisodeResult], config: DpoConfig) -> list[Pair]:
    """Pairs of each group's scorable episodes, best with worst and inwards, as far as their rewards differ enough."""
    groups: dict[str, list[EpisodeResult]] = defaultdict(list)
    for result in results:
        if result.record.reward is not None and any(result.mask):
            groups[result.task.instance].append(result)
    pairs = []
    for group in groups.values():
        ranked = sorted(group, key=lambda r: (-(r.record.reward or 0.0), r.task.sample))
        for n in range(min(config.pairs_per_group, len(ranked) // 2)):
            best, worst = ranked[n], ranked[-1 - n]
            if (best.record.reward or 0.0) - (worst.record.reward or 0.0) < config.min_gap:
                break
            pairs.append(Pair(best.prompt_ids, best.completion_ids, worst.completion_ids, best.mask, worst.mask))
    return pairs


def train_dpo(
    model: Any,
    tokenizer: Any,
    pairs: Iterable[Pair],
    config: DpoConfig,
    *,
    scratch: Path,
    seed: int,
    machines: TrainerConfig,
    micro_batch_size: int = 1,
    on_step: Callable[[int, int, dict[str, float]], None] | None = None,
) -> Any:
    """Train a model on pairs.

    Args:
        model: loaded from the folder that its config names: the reference is loaded from there again.
        tokenizer: of the model.
        pairs: from :func:`pairs_of`.
        config: the settings.
        scratch: folder for what TRL writes.
        seed: of the order of pairs.
        machines: precision and adapters.
        micro_batch_size: pairs in one forward pass at most.
        on_step: called with the optimizer steps done, their number, and TRL's figures.

    Returns:
        The trained model, adapters merged into it.

    Raises:
        UserError: there are no pairs.
    """
    rows = [asdict(pair) for pair in pairs]
    if not rows:
        raise UserError("no two episodes of an instance differ enough in reward; lower dpo.min_gap, or play more")
    micro = next(n for n in range(min(micro_batch_size, config.batch_size), 0, -1) if config.batch_size % n == 0)
    trainer = _SampledTokensTrainer(
        model=model,
        args=DPOConfig(
            output_dir=str(scratch),
            beta=config.beta,
            learning_rate=config.learning_rate,
            per_device_train_batch_size=micro,
            gradient_accumulation_steps=max(1, config.batch_size // micro // machines.processes),
            num_train_epochs=config.epochs,
            max_length=None,
            seed=seed,
            data_seed=seed,
            bf16=machines.precision == "bf16",
            use_cpu=not machines.gpus and not torch.cuda.is_available(),
            gradient_checkpointing=machines.gradient_checkpointing,
            save_strategy="no",
            logging_steps=1,
            report_to="none",
            disable_tqdm=True,
            dataloader_pin_memory=False,
        ),
        train_dataset=Dataset.from_list(rows),
        processing_class=tokenizer,
        data_collator=_SampledTokens(pad_token_id=tokenizer.pad_token_id),
        peft_config=adapters(machines.lora),
        callbacks=[_Report(on_step)] if on_step else [],
    )
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    trained: Any = trainer.accelerator.unwrap_model(trainer.model)
    return trained.merge_and_unload() if machines.lora is not None else trained


@dataclass
class _SampledTokens(DataCollatorForPreference):
    """TRL's collator, whose mask holds only tokens that were sampled."""

    def torch_call(self, examples: list[dict[str, Any]]) -> dict[str, Any]:
        """Pad the examples: first all chosen, then all rejected, as TRL does."""
        batch: dict[str, Any] = super().torch_call(examples)
        masks = [e["chosen_mask"] for e in examples] + [e["rejected_mask"] for e in examples]
        prompts = [len(e["prompt_ids"]) for e in examples] * 2
        width = batch["input_ids"].shape[1]
        rows = zip(prompts, masks, strict=True)
        padded = [[0] * prompt + mask + [0] * (width - prompt - len(mask)) for prompt, mask in rows]
        batch["completion_mask"] = torch.tensor(padded, dtype=batch["completion_mask"].dtype)
        return batch


class _SampledTokensTrainer(DPOTrainer):
    """TRL's trainer over pairs that are ids already."""

    def _prepare_dataset(self, dataset: Any, *others: Any) -> Any:
        return dataset

    def _set_signature_columns_if_needed(self) -> None:
        columns: Any = ["prompt_ids", "chosen_ids", "rejected_ids", "chosen_mask", "rejected_mask"]
        self._signature_columns = columns

    def create_model_card(self, *args: Any, **kwargs: Any) -> None:
        """None: a run has its report."""


class _Report(TrainerCallback):
    """Passes progress on."""

    def __init__(self, on_step: Callable[[int, int, dict[str, float]], None]) -> None:
        self._on_step = on_step

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, float] | None = None, **kwargs: Any) -> None:
        """After each optimizer step."""
        if logs and "loss" in logs:
            self._on_step(state.global_step, state.max_steps, logs)
