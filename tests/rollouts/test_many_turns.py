"""Twenty turns, token by token: what was sampled is what is trained, in every wire format and template that we ship."""

from pathlib import Path
from typing import Any

import pytest
import trl
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rollouts.factory import Spelling, env_maker, hand_suite, scripted_services, tiny_tokenizer
from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.episodes.tools import tool_schemas
from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.conversation import ChatFormat, Conversation
from verulaw_rl.rollouts.engine import EpisodeResult, EpisodeTask, run_episodes
from verulaw_rl.rollouts.policy import Generation, Sampling
from verulaw_rl.shipped import find_file

pytestmark = pytest.mark.unit

TURNS = 20
QWEN3 = find_file("configs/chat_templates/qwen3.jinja", "configs").read_text()
STOCK = (Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text()
"""Qwen3's own template, as TRL ships it."""
KEY = "hand/Count0/annotation_repair"


def tokenizer_with(template: str | None) -> Any:
    tokenizer = tiny_tokenizer()
    tokenizer.chat_template = template or tokenizer.chat_template
    return tokenizer


def reply(turn: int, wire_format: str) -> str:
    program = f"method M()\n{{ // {turn} 🙂\tü\n}}\n"
    if wire_format == "tags":
        return f"Turn {turn}.  \n\n<verify>\n{program}</verify>\n "
    return f'<tool_call>\n{{"name": "verify", "arguments": {{"program": "{turn} é \\u00e9"}}}}\n</tool_call>'


def play(
    tokenizer: Any, wire_format: str, context_tokens: int = 60_000, ends: bool = True
) -> tuple[EpisodeResult, Any, list[Any]]:
    episode = EpisodeConfig(wire_format=wire_format, turns=TURNS, actions=("verify", "submit"))
    envs: list[Any] = []
    make = env_maker(hand_suite(1), scripted_services(), episode)

    def kept() -> Any:
        envs.append(make())
        return envs[-1]

    policy = Spelling(tokenizer, [reply(n, wire_format) for n in range(TURNS)], context_tokens, ends)
    batch = run_episodes(policy, kept, [EpisodeTask(KEY)], seed=0, sampling=Sampling(), max_turn_tokens=2000)
    return batch.results[0], policy, envs[0].messages


@pytest.mark.parametrize("wire_format", ["tags", "tools"])
@pytest.mark.parametrize("template", [None, QWEN3], ids=["chatml", "qwen3"])
def test_twenty_turns_are_kept_verbatim(template: str | None, wire_format: str) -> None:
    tokenizer = tokenizer_with(template)
    result, policy, messages = play(tokenizer, wire_format)
    assert len(result.record.turns) == TURNS
    assert len(result.completion_ids) == len(result.mask) == len(result.logprobs)
    # Each prompt is the one before, what was sampled after it, and the environment's answer: nothing was encoded again.
    whole = [*result.prompt_ids, *result.completion_ids]
    prompts = [list(p.token_ids) for p in policy.prompts]
    assert all(whole[: len(p)] == p for p in prompts)
    position, sampled = 0, []
    for n in range(TURNS):
        text = reply(n, wire_format)
        ids = [i for c in text for i in tokenizer(c, add_special_tokens=False)["input_ids"]] + [tokenizer.eos_token_id]
        start = len(prompts[n]) - len(result.prompt_ids)
        assert list(result.completion_ids[start : start + len(ids)]) == ids, f"turn {n}, as it was sampled"
        assert result.mask[start : start + len(ids)] == (1,) * len(ids)
        assert result.logprobs[start : start + len(ids)] == tuple(-0.5 - k for k in range(len(ids)))
        assert result.mask[position:start] == (0,) * (start - position), "the environment's words are not trained"
        assert set(result.logprobs[position:start]) <= {0.0}
        position, sampled = start + len(ids), sampled + ids
    assert sum(result.mask) == len(sampled)
    # And it reads as the template renders the whole conversation.
    tools = tool_schemas(("verify", "submit"), "full") if wire_format == "tools" else None
    rendered = tokenizer.apply_chat_template(messages[:-1], tools=tools, tokenize=False)
    assert tokenizer.decode(whole) == rendered.rstrip("\n")
    assert result.record.tokens == {
        "prompt": len(result.prompt_ids), "sampled": len(sampled), "observed": len(result.mask) - len(sampled),
    }  # fmt: skip


@pytest.mark.parametrize("context", [1830, 1900, 2500, 4000])
@pytest.mark.parametrize("ends", [True, False])
def test_a_full_context_is_a_clean_end(context: int, ends: bool) -> None:
    result, _, _ = play(tokenizer_with(None), "tags", context, ends)
    assert result.record.end_reason == "context_full"
    assert result.error is None
    assert result.record.reward == -1.5 + max(-1.0, -0.25 * sum(t.wasted for t in result.record.turns))
    assert len(result.prompt_ids) + len(result.completion_ids) <= context
    assert len(result.mask) == len(result.logprobs) == len(result.completion_ids)
    assert not result.mask or result.mask[-1] == 1 or ends, "no answer is appended that leaves no room for a turn"


def test_a_prompt_beyond_the_context_is_no_turn() -> None:
    result, policy, _ = play(tokenizer_with(None), "tags", 900)
    assert (result.record.end_reason, result.record.reward) == ("context_full", -1.5)
    assert result.completion_ids == ()
    assert policy.prompts == []


def test_qwen3s_opening_is_its_own() -> None:
    """With thinking off, ours and Qwen3's template open a conversation with the same text, tools and all."""
    tokenizer = tokenizer_with(None)
    messages = [{"role": "system", "content": "Be exact."}, {"role": "user", "content": "Prove it."}]
    for tools in (None, tool_schemas(("verify", "submit"), "full")):
        for opening in (messages, messages[1:]):
            texts = [
                tokenizer.apply_chat_template(
                    opening, chat_template=template, tools=tools, tokenize=False, add_generation_prompt=True, **more
                )
                for template, more in ((QWEN3, {}), (STOCK, {"enable_thinking": False}))
            ]
            assert texts[0] == texts[1]
    answers = [{"role": "tool", "content": "unmet"}]
    ours, stock = (
        tokenizer.apply_chat_template([*messages, *answers], chat_template=t, tokenize=False) for t in (QWEN3, STOCK)
    )
    assert ours == stock


def test_qwen3s_own_template_is_refused() -> None:
    with pytest.raises(UserError, match="does not keep earlier turns as a prefix"):
        ChatFormat(tokenizer_with(STOCK))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.lists(st.integers(3, 390), max_size=12), st.booleans(), st.text(max_size=20)),
        min_size=1,
        max_size=20,
    ),
    st.integers(80, 600),
)
def test_any_ids_at_all_are_kept(turns: list[tuple[list[int], bool, str]], context: int) -> None:
    tokenizer = TOKENIZER
    conversation = Conversation(ChatFormat(tokenizer), [{"role": "user", "content": "u"}], context)
    opening = list(conversation.prompt_ids)
    expected: list[int] = []
    for ids, ended, said in turns:
        sampled = [*ids, tokenizer.eos_token_id] if ended else ids
        sampled = sampled[: conversation.room_tokens]
        start = len(conversation.completion_ids)
        conversation.add_reply(
            Generation(
                tuple(sampled), tuple(map(float, sampled)), "", ended and sampled[-1:] == [tokenizer.eos_token_id]
            )
        )
        assert conversation.completion_ids[start:] == sampled
        expected += sampled
        before = list(conversation.completion_ids)
        if not conversation.add_observation({"role": "user", "content": said}):
            assert conversation.completion_ids == before
            break
    assert conversation.prompt_ids == opening
    assert [i for i, m in zip(conversation.completion_ids, conversation.mask, strict=True) if m] == expected
    assert [x for x, m in zip(conversation.logprobs, conversation.mask, strict=True) if m] == list(map(float, expected))
    assert len(conversation.token_ids) <= max(context, len(opening))
    assert conversation.sampled_tokens == len(expected)


TOKENIZER = tokenizer_with(None)
