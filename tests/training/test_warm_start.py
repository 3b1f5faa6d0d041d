import logging
from pathlib import Path

import pytest
from datasets import Dataset
from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer

from tests.episodes.factory import GIVEN, REFERENCE, make_instance
from tests.rollouts.factory import RIGHT, TINY, env_maker, hand_suite, scripted_services, texts
from verulaw_rl.config.train import WarmStartConfig
from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.conversation import ChatFormat
from verulaw_rl.rollouts.load_policy import load_model
from verulaw_rl.suites.prepare import ProofPair
from verulaw_rl.training.small_policy import create_small_policy
from verulaw_rl.training.warm_start import Example, warm_start, warm_start_examples

pytestmark = pytest.mark.train

PAIR = ProofPair("Count", GIVEN, REFERENCE)


def examples(*pairs: ProofPair) -> list[Example]:
    return warm_start_examples(pairs, env_maker(hand_suite(1), scripted_services())(), make_instance())


def test_examples_are_episodes() -> None:
    (example,) = examples(PAIR)
    env = env_maker(hand_suite(1), scripted_services())()
    _, info = env.reset(options={"instance": "hand/Count0/annotation_repair"})
    assert example["prompt"] == info["messages"]
    env.step(example["completion"][0]["content"])
    assert env.episode_reward == 3.0


def test_a_proof_that_is_no_insertion_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    other = ProofPair("Other", GIVEN.replace("i := 0", "i := 1"), REFERENCE)
    with caplog.at_level(logging.WARNING):
        assert examples(other, PAIR) == examples(PAIR)
    assert "Other" in caplog.text


def test_a_demonstration_may_keep_a_part_of_its_proof() -> None:
    reference = REFERENCE.replace("    invariant", "    invariant true\n    invariant", 1)
    pairs = [ProofPair("Two", GIVEN, reference)] * 200
    env = env_maker(hand_suite(1), scripted_services())()
    shown = warm_start_examples(pairs, env, make_instance(), kept=0.5, seed=1)
    kept = [example["completion"][0]["content"].count("invariant") for example in shown]
    # Each stays with 1/2, and one of two that both went comes back: both are kept in 1/4 of the cases.
    assert set(kept) == {1, 2}
    assert 30 < kept.count(2) < 70
    assert shown == warm_start_examples(pairs, env, make_instance(), kept=0.5, seed=1)


def test_only_the_assistants_tokens_are_learned(tmp_path: Path) -> None:
    create_small_policy(TINY, texts(), tmp_path / "model", 0)
    model, tokenizer = load_model(str(tmp_path / "model"))
    (example,) = examples(PAIR)
    arguments = SFTConfig(output_dir=str(tmp_path), max_length=None, report_to="none", bf16=False)
    data = Dataset.from_list([example])
    trainer = SFTTrainer(model=model, args=arguments, train_dataset=data, processing_class=tokenizer)
    (batch,) = trainer.get_train_dataloader()
    learned = [label for label in batch["labels"][0].tolist() if label != -100]
    prompt = ChatFormat(tokenizer).opening(example["prompt"])
    assert batch["input_ids"][0].tolist() == prompt + learned, "the prompt is an episode's, token for token"
    assert tokenizer.decode(learned) == f"{RIGHT}<|im_end|>\n"


def test_it_learns_and_says_how_far_it_is(tmp_path: Path) -> None:
    create_small_policy(TINY, texts(), tmp_path / "model", 0)
    losses: list[float] = []
    config = WarmStartConfig(batches=20, batch_size=2, learning_rate=1e-2, warmup_batches=1)
    warm_start(
        tmp_path / "model", tmp_path / "out", examples(PAIR, PAIR), config,
        scratch=tmp_path / "scratch", seed=0, on_batch=lambda batch, loss: losses.append(loss),
    )  # fmt: skip
    assert len(losses) == 20
    assert losses[-1] < losses[0] / 2
    assert load_model(str(tmp_path / "out"))[1].chat_template


def test_nothing_to_learn_from_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no examples"):
        warm_start(tmp_path, tmp_path, [], WarmStartConfig(batches=1), scratch=tmp_path, seed=0)
