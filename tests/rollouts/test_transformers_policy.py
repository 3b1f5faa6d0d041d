from collections import Counter

import pytest
import torch

from tests.rollouts.factory import texts, tiny_model, tiny_tokenizer
from verulaw_rl.rollouts.policy import Prompt, Sampling
from verulaw_rl.rollouts.transformers_policy import TransformersPolicy

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def tokenizer():
    return tiny_tokenizer()


@pytest.fixture(scope="module")
def model(tokenizer):
    # Weights large enough that distributions are far from uniform.
    model = tiny_model(tokenizer)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(3.0)
    return model


@pytest.fixture(scope="module")
def prompts(tokenizer) -> list[tuple[int, ...]]:
    ids = tokenizer("".join(texts()))["input_ids"]
    return [tuple(ids[:n]) for n in (3, 17, 17, 40, 64)]


def policy(model, tokenizer, batch_size=8):
    return TransformersPolicy(model, tokenizer, name="tiny", context_tokens=512, batch_size=batch_size)


def logprobs_of(model, prompt, sampled, temperature=1.0):
    with torch.no_grad():
        logits = model(torch.tensor([[*prompt, *sampled]])).logits[0, len(prompt) - 1 : -1]
    return torch.log_softmax(logits / temperature, -1).gather(1, torch.tensor(sampled)[:, None])[:, 0]


def test_greedy_is_what_generate_gives_for_each_prompt_alone(model, tokenizer, prompts) -> None:
    out = policy(model, tokenizer).generate([Prompt(p, 20, 0) for p in prompts], Sampling(0.0))
    for prompt, generation in zip(prompts, out, strict=True):
        expected = model.generate(torch.tensor([prompt]), max_new_tokens=20, do_sample=False)[0, len(prompt) :]
        assert list(generation.token_ids) == expected.tolist()


@pytest.mark.parametrize("temperature", [0.7, 1.0, 1.5])
def test_logprobs_are_those_of_the_sampled_distribution(model, tokenizer, prompts, temperature) -> None:
    out = policy(model, tokenizer).generate([Prompt(p, 30, k) for k, p in enumerate(prompts)], Sampling(temperature))
    for prompt, generation in zip(prompts, out, strict=True):
        expected = logprobs_of(model, prompt, generation.token_ids, temperature)
        torch.testing.assert_close(torch.tensor(generation.logprobs), expected, atol=1e-4, rtol=1e-4)


def test_a_continuation_depends_on_its_prompt_and_seed_alone(model, tokenizer, prompts) -> None:
    batch = [Prompt(p, 25, 100 + k) for k, p in enumerate([*prompts, *prompts])]
    expected = [g.token_ids for g in policy(model, tokenizer, 16).generate(batch, Sampling(1.0))]
    one_by_one = [policy(model, tokenizer).generate([p], Sampling(1.0))[0].token_ids for p in batch]
    backwards = [g.token_ids for g in policy(model, tokenizer, 3).generate(batch[::-1], Sampling(1.0))][::-1]
    assert one_by_one == expected
    assert backwards == expected
    assert expected[1] != expected[2], "the same prompt, other seeds"


def test_a_pad_token_that_is_the_end_token_changes_nothing(model, tokenizer, prompts) -> None:
    batch = [Prompt((*p[:2], tokenizer.eos_token_id, *p[2:]), 25, k) for k, p in enumerate(prompts)]
    expected = policy(model, tokenizer).generate(batch, Sampling(1.0))
    other = tiny_tokenizer()
    other.pad_token = other.eos_token
    assert policy(model, other).generate(batch, Sampling(1.0)) == expected


def test_limits_ends_and_text(model, tokenizer, prompts) -> None:
    batch = [Prompt(prompts[1], n, k) for k, n in enumerate([0, 1, 5, 200, 200, 200])]
    done = {}
    out = policy(model, tokenizer).generate(batch, Sampling(1.5), lambda k, g: done.update({k: g}))
    assert done == dict(enumerate(out))
    for prompt, generation in zip(batch, out, strict=True):
        assert len(generation.token_ids) == len(generation.logprobs) <= prompt.max_tokens
        assert generation.finished == (tokenizer.eos_token_id in generation.token_ids)
        shown = generation.token_ids[:-1] if generation.finished else generation.token_ids
        assert generation.text == tokenizer.decode(shown)
    assert (out[0].token_ids, out[0].finished) == ((), False)
    assert any(g.finished for g in out)
    assert not model.training


def test_tokens_come_as_often_as_the_model_says(model, tokenizer, prompts) -> None:
    draws = 4000
    generated = policy(model, tokenizer, 500).generate([Prompt(prompts[3], 1, k) for k in range(draws)], Sampling(1.0))
    counts = Counter(g.token_ids[0] for g in generated)
    with torch.no_grad():
        probabilities = torch.softmax(model(torch.tensor([prompts[3]])).logits[0, -1], -1)
    for token, probability in enumerate(probabilities.tolist()):
        # Five standard deviations of a binomial count.
        allowed = 5 * (draws * probability * (1 - probability)) ** 0.5 + 1
        assert abs(counts[token] - draws * probability) <= allowed
