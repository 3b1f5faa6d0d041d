from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rollouts.factory import TINY, texts, tiny_tokenizer
from verulaw_rl.config.load import load_config
from verulaw_rl.config.train import SmallPolicy, TrainConfig
from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.conversation import ChatFormat
from verulaw_rl.rollouts.load_policy import load_model, load_policy
from verulaw_rl.shipped import find_file
from verulaw_rl.training.small_policy import create_small_policy, initialise_model

pytestmark = pytest.mark.unit

TOKENIZER = tiny_tokenizer()


@given(st.text())
def test_any_text_survives_the_tokenizer(text: str) -> None:
    ids = TOKENIZER(text)["input_ids"]
    assert TOKENIZER.decode(ids, clean_up_tokenization_spaces=False) == text


def test_programs_are_few_tokens() -> None:
    pieces = [TOKENIZER.decode([i]) for i in TOKENIZER("\n5:   while i < n\n6:   {\n@5\n    inv")["input_ids"]]
    assert pieces[:9] == ["\n5:   ", "while", " ", "i", " < ", "n", "\n6:   ", "{", "\n"]
    assert pieces[9:11] == ["@5", "\n    "]
    assert len(TOKENIZER) <= TINY.vocabulary


def test_the_template_keeps_earlier_turns() -> None:
    ChatFormat(TOKENIZER)


def test_the_quickstart_model_has_one_to_five_million_parameters() -> None:
    config = load_config(find_file("configs/quickstart.yaml", "configs"), TrainConfig)
    assert isinstance(config.policy, SmallPolicy)
    small = initialise_model(config.policy, TOKENIZER, 0).num_parameters()
    largest = small + (config.policy.vocabulary - len(TOKENIZER)) * config.policy.hidden_size
    assert small >= 1_000_000
    assert largest <= 5_000_000


def test_weights_are_a_function_of_the_seed(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        create_small_policy(TINY, texts(), tmp_path / name, seed)
    weights = [load_model(str(tmp_path / name))[0].model.layers[0].mlp.up_proj.weight for name in "abc"]
    assert weights[0].equal(weights[1])
    assert not weights[0].equal(weights[2])


def test_a_saved_policy_loads_like_any_other(tmp_path: Path) -> None:
    create_small_policy(TINY, texts(), tmp_path / "model", 0)
    policy = load_policy(str(tmp_path / "model"), name="small", version="1", context_tokens=10_000)
    assert policy.context_tokens == TINY.context_tokens
    assert policy.tokenizer.chat_template == TOKENIZER.chat_template
    assert policy.model.config.model_type == "qwen3"


@pytest.mark.parametrize("content", [None, {}, {"config.json": "{}"}, {"config.json": '{"model_type": "nonsense"}'}])
def test_a_folder_that_is_no_model_is_refused_in_one_line(tmp_path: Path, content: dict[str, str] | None) -> None:
    folder = tmp_path / "model"
    if content is not None:
        folder.mkdir()
        for name, text in content.items():
            (folder / name).write_text(text)
    with pytest.raises(UserError) as error:
        load_model(str(folder))
    assert str(folder) in str(error.value)
    assert "\n" not in str(error.value)
