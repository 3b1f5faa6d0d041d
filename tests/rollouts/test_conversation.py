import pytest

from tests.rollouts.factory import (
    RIGHT,
    SETTINGS,
    WRONG,
    Spelling,
    env_maker,
    hand_suite,
    scripted_services,
    tiny_tokenizer,
)
from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.conversation import ChatFormat, Conversation
from verulaw_rl.rollouts.engine import EpisodeTask, run_episodes
from verulaw_rl.rollouts.policy import Generation, Sampling

pytestmark = pytest.mark.unit

KEY = "hand/Count0/annotation_repair"
# What Qwen3's own template does: the thinking of earlier turns vanishes once a later user turn comes.
FORGETS_THINKING = (
    "{% for m in messages %}{% if m['role'] == 'assistant' %}"
    "{{ '<|im_start|>assistant\n' + (m['content'].split('</think>')[-1]) + '<|im_end|>\n' }}"
    "{% else %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
TRIMS = FORGETS_THINKING.replace("(m['content'].split('</think>')[-1])", "(m['content'] | trim)")


def play(policy, turns=3):
    settings = SETTINGS.model_copy(update={"turns": turns})
    env = env_maker(hand_suite(1), scripted_services(), settings)
    return run_episodes(policy, env, [EpisodeTask(KEY)], seed=0, sampling=Sampling()).results[0]


def test_sampled_ids_stand_verbatim_over_three_turns() -> None:
    tokenizer = tiny_tokenizer()
    replies = [WRONG, "no action at all", RIGHT]
    policy = Spelling(tokenizer, replies)
    result = play(policy)
    spelled = [[i for c in r for i in tokenizer(c)["input_ids"]] + [tokenizer.eos_token_id] for r in replies]
    assert spelled[0][:-1] != tokenizer(WRONG)["input_ids"], "the spelling is not what an encoder would give"
    sampled = [i for i, m in zip(result.completion_ids, result.mask, strict=True) if m]
    assert sampled == [i for ids in spelled for i in ids]
    # Every later prompt is the earlier one, what was sampled, and what the environment said.
    for earlier, later, ids in zip(policy.prompts, policy.prompts[1:], spelled, strict=False):
        assert later.token_ids[: len(earlier.token_ids) + len(ids)] == (*earlier.token_ids, *ids)
    assert [t.text for t in result.record.turns] == replies


def test_only_sampled_tokens_are_trained_and_everything_is_aligned() -> None:
    tokenizer = tiny_tokenizer()
    result = play(Spelling(tokenizer, [WRONG, WRONG, RIGHT]))
    assert len(result.completion_ids) == len(result.mask) == len(result.logprobs)
    for mask, logprob in zip(result.mask, result.logprobs, strict=True):
        assert (logprob == 0.0) == (mask == 0)
    assert result.record.tokens == {
        "prompt": len(result.prompt_ids),
        "sampled": sum(result.mask),
        "observed": len(result.mask) - sum(result.mask),
    }
    # The prompt is turn 1's, and the whole decodes to the template's rendering of the conversation.
    messages = [
        {
            "role": "user",
            "content": env_maker(hand_suite(1), scripted_services())().user_message(hand_suite(1).instances[0]),
        }
    ]
    assert list(result.prompt_ids) == ChatFormat(tokenizer).opening(messages)
    for turn in result.record.turns:
        messages.append({"role": "assistant", "content": turn.text})
        messages.append({"role": "user", "content": turn.observation})
    rendered = tokenizer.apply_chat_template(messages[:-1], tokenize=False)
    assert tokenizer.decode([*result.prompt_ids, *result.completion_ids]) == rendered.removesuffix("\n")


def test_a_pad_token_that_is_the_end_token_changes_nothing() -> None:
    tokenizer = tiny_tokenizer()
    expected = play(Spelling(tokenizer, [WRONG, RIGHT]))
    tokenizer.pad_token = tokenizer.eos_token
    result = play(Spelling(tokenizer, [WRONG, RIGHT]))
    assert (result.completion_ids, result.mask) == (expected.completion_ids, expected.mask)


def test_a_reply_cut_by_the_turn_limit_is_closed_by_the_environment() -> None:
    tokenizer = tiny_tokenizer()
    result = play(Spelling(tokenizer, ["nothing", RIGHT], ends=False), turns=2)
    length = len("nothing")
    assert result.mask[:length] == (1,) * length
    assert result.completion_ids[length] == tokenizer.eos_token_id
    assert result.mask[length] == 0


def test_a_full_context_truncates_without_cost() -> None:
    tokenizer = tiny_tokenizer()
    whole = play(Spelling(tokenizer, [WRONG, WRONG, RIGHT]))
    room = len(whole.prompt_ids) + len(whole.completion_ids) - 5
    result = play(Spelling(tokenizer, [WRONG, WRONG, RIGHT], context_tokens=room))
    assert result.record.end_reason == "context_full"
    assert len(result.prompt_ids) + len(result.completion_ids) <= room
    assert result.record.components["wasted_turns"] == -0.25, "the repeated submission costs, the cut turn does not"
    too_small = play(Spelling(tokenizer, [RIGHT], context_tokens=3))
    assert (too_small.record.end_reason, too_small.completion_ids) == ("context_full", ())


@pytest.mark.parametrize("template", [FORGETS_THINKING, TRIMS])
def test_a_template_that_rewrites_earlier_turns_is_refused(template: str) -> None:
    tokenizer = tiny_tokenizer()
    tokenizer.chat_template = template
    with pytest.raises(UserError, match="does not keep earlier turns as a prefix"):
        ChatFormat(tokenizer)


def test_a_tokenizer_without_template_is_refused() -> None:
    tokenizer = tiny_tokenizer()
    tokenizer.chat_template = None
    with pytest.raises(UserError, match="no chat template"):
        ChatFormat(tokenizer)


def test_assistant_turns_in_the_prompt_are_not_trained() -> None:
    chat = ChatFormat(tiny_tokenizer())
    shots = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
    conversation = Conversation(chat, shots, 200)
    conversation.add_reply(Generation((5, 6), (-1.0, -2.0), "xy", False))
    assert (conversation.completion_ids, conversation.mask) == ([5, 6], [1, 1])
    assert conversation.token_ids == (*chat.opening(shots), 5, 6)
