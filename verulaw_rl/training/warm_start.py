"""Supervised fine-tuning on reference proofs, in the very format of episodes.

Each example is the environment's prompt and the assistant turn that submits the reference, or a part of its
proof; the loss is on the assistant's tokens alone. TRL's ``SFTTrainer`` does the work. The run calls it once,
before GRPO.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from datasets import Dataset
from transformers import PrinterCallback, TrainerCallback
from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer

from verulaw_rl.config.train import WarmStartConfig
from verulaw_rl.episodes.env import ProofEnv
from verulaw_rl.errors import UserError
from verulaw_rl.evidence.ablation import droppable
from verulaw_rl.languages.base import Language
from verulaw_rl.languages.registry import get_language
from verulaw_rl.rollouts.load_policy import load_model
from verulaw_rl.rollouts.proofs import proof_turn
from verulaw_rl.suites.instance import Instance
from verulaw_rl.suites.prepare import ProofPair

logger = logging.getLogger(__name__)

Example = dict[str, list[dict[str, str]]]
OnBatch = Callable[[int, float], None]
"""Called with the number of batches done and the loss of the last."""


def warm_start_examples(
    pairs: Sequence[ProofPair], env: ProofEnv, like: Instance, *, kept: float = 1.0, seed: int = 0
) -> list[Example]:
    """Chat examples: ``prompt`` as an episode opens, ``completion`` the submission of the reference.

    Args:
        pairs: stripped programs and their references.
        env: the environment whose prompts and settings are used.
        like: any instance of the run; pairs have its language and task.
        kept: share of a proof's annotations that its demonstration keeps (at least one).
        seed: of which are kept.
    """
    examples = []
    language = get_language(like.language)
    rng = random.Random(seed)
    for pair in pairs:
        shown = pair.reference if kept == 1 else _with_part_of_its_proof(language, pair.reference, kept, rng)
        reply = proof_turn(pair.given, shown, env.settings)
        if reply is None:
            logger.warning("%s: its proof cannot be written as insertions; left out of the warm start", pair.name)
            continue
        instance = replace(like, given=pair.given, reference=pair.reference)
        system, user = env.system_message(instance), env.user_message(instance)
        prompt = [{"role": "system", "content": system}] if system else []
        prompt.append({"role": "user", "content": user})
        examples.append({"prompt": prompt, "completion": [{"role": "assistant", "content": reply}]})
    return examples


def _with_part_of_its_proof(language: Language, program: str, kept: float, rng: random.Random) -> str:
    spans = [a.span for a in language.parse(program).annotations if droppable(a)]
    dropped = [s for s in spans if rng.random() >= kept]
    if dropped and len(dropped) == len(spans):
        dropped.remove(rng.choice(dropped))
    return language.instrument(program, (), tuple(dropped)).text


def warm_start(
    source: Path,
    target: Path,
    examples: Sequence[Example],
    config: WarmStartConfig,
    *,
    scratch: Path,
    seed: int,
    gguf_file: str | None = None,
    chat_template: str | None = None,
    on_batch: OnBatch | None = None,
) -> None:
    """Fine-tune the model in ``source`` and save it into ``target``.

    Raises:
        UserError: there are no examples, or ``source`` is no model folder.
    """
    if not examples:
        raise UserError("the warm start has no examples; set warm_start.batches to 0 or give it training programs")
    model, tokenizer = load_model(str(source), gguf_file, chat_template)
    arguments = SFTConfig(
        output_dir=str(scratch),
        max_steps=config.batches,
        per_device_train_batch_size=config.batch_size,
        learning_rate=config.learning_rate,
        adam_beta2=config.adam_beta2,
        warmup_steps=config.warmup_batches,
        lr_scheduler_type="linear",
        max_length=None,
        seed=seed,
        data_seed=seed,
        save_strategy="no",
        logging_steps=1,
        report_to="none",
        disable_tqdm=True,
        bf16=False,
        gradient_checkpointing=False,
        train_sampling_strategy="group_by_length",
        dataloader_pin_memory=False,
    )
    trainer = SFTTrainer(
        model=model,
        args=arguments,
        train_dataset=Dataset.from_list(list(examples)),
        processing_class=tokenizer,
        callbacks=[_Report(on_batch)] if on_batch else [],
    )
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)


class _Report(TrainerCallback):
    """Passes progress on."""

    def __init__(self, on_batch: OnBatch) -> None:
        self._on_batch = on_batch

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, float] | None = None, **kwargs: Any) -> None:
        """After each batch."""
        if logs and "loss" in logs:
            self._on_batch(state.global_step, logs["loss"])
