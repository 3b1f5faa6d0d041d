"""The quickstart's policy: a Qwen3-architecture model of a few million parameters, and its tokenizer.

Made from nothing but the training split's texts, and saved as an ordinary Hugging Face folder, so that
everything after it treats it like any other model. The run calls :func:`create_small_policy` once.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

from verulaw_rl.config.train import SmallPolicy

PAD, START, END = "<|pad|>", "<|im_start|>", "<|im_end|>"

# A word is the same token wherever it stands, which is what makes copying it easy to learn: blanks go with
# punctuation, and a line break takes the line number and the indentation behind it. Digits stand alone. Bytes are
# the alphabet, so that any text encodes.
_PIECES = r"\r?\n(?:\d+: )?[ \t]*|@\d+|[A-Za-z_][A-Za-z_']*|\d| ?[^\sA-Za-z_\d@]+ ?|[ \t]+|@"

CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
"""ChatML: every turn rendered verbatim, so that earlier turns stay a prefix."""


def create_small_policy(config: SmallPolicy, texts: Iterable[str], folder: Path, seed: int) -> None:
    """Train the tokenizer on ``texts``, initialise the model from ``seed``, and save both into ``folder``."""
    tokenizer = train_tokenizer(texts, config.vocabulary)
    model = initialise_model(config, tokenizer, seed)
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)


def train_tokenizer(texts: Iterable[str], vocabulary: int) -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer of at most ``vocabulary`` tokens whose tokens never span words or lines."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_PIECES), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[PAD, START, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token=PAD, eos_token=END)  # type: ignore[no-untyped-call]
    fast.chat_template = CHAT_TEMPLATE
    return fast


def initialise_model(config: SmallPolicy, tokenizer: PreTrainedTokenizerFast, seed: int) -> Qwen3ForCausalLM:
    """A model with random weights; one key-value head, which makes sampling on a CPU several times faster."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return Qwen3ForCausalLM(
            Qwen3Config(
                vocab_size=len(tokenizer),
                hidden_size=config.hidden_size,
                intermediate_size=config.intermediate_size,
                num_hidden_layers=config.layers,
                num_attention_heads=config.heads,
                num_key_value_heads=1,
                head_dim=config.hidden_size // config.heads,
                max_position_embeddings=config.context_tokens,
                tie_word_embeddings=True,
                initializer_range=config.initializer_range,
                pad_token_id=tokenizer.pad_token_id,
                eos_token_id=tokenizer.eos_token_id,
                bos_token_id=None,
            )
        )
