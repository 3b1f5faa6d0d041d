"""The token-exact track of one episode: what was read, what was sampled, what the environment said.

A trainer may only be given ids that the policy really sampled, so nothing here decodes and encodes
again: turn 1 is the chat template's rendering, sampled ids are kept verbatim, and what the environment
adds between two turns is the template's text from the end of one assistant turn to the start of the
next, encoded by itself. That is right only for templates that keep earlier turns as a prefix; others
are refused (:class:`ChatFormat`). The engine makes one :class:`Conversation` per episode.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.policy import Generation

Message = dict[str, str]

_PROBE_REPLIES = ("<think>\nfirst\n</think>\n\n a reply \n", "<submit>\n1: x\n</submit>")


class ChatFormat:
    """A tokenizer's chat template, checked to keep earlier turns as a prefix."""

    def __init__(self, tokenizer: Any, tools: list[dict[str, Any]] | None = None) -> None:
        """Check the template; ``tools`` are the schemas it shows, for native tool calls.

        Raises:
            UserError: the tokenizer has no chat template, or one that rewrites earlier turns.
        """
        self._tokenizer = tokenizer
        self._tools = tools
        if not getattr(tokenizer, "chat_template", None):
            raise UserError(
                f"tokenizer {_name(tokenizer)} has no chat template; put a chat_template.jinja into the model folder"
            )
        self._check_prefixes()

    def opening(self, messages: Sequence[Message]) -> list[int]:
        """Token ids of the first prompt: the messages and the start of the assistant's turn."""
        return self._encode(self._render(messages, start_reply=True))

    def between(self, observation: Message, ended: bool) -> list[int]:
        """Token ids from the end of an assistant turn to the start of the next.

        Args:
            observation: the environment's message.
            ended: whether the end-of-turn token was sampled; otherwise it is among the ids returned.
        """
        text = self._tail(_PROBE_REPLIES[1], observation)
        if ended:
            end = self._tokenizer.eos_token
            before, found, after = text.partition(end)
            # The template may put white space between the reply and the end token; it was not sampled.
            text = after if found and not before.strip() else text
        return self._encode(text)

    def _tail(self, reply: str, observation: Message) -> str:
        opening = [{"role": "user", "content": "u"}]
        full = self._render([*opening, {"role": "assistant", "content": reply}, observation], start_reply=True)
        return full[len(self._render(opening, start_reply=True)) + len(reply) :]

    def _check_prefixes(self) -> None:
        first, last = {"role": "user", "content": "u"}, {"role": "user", "content": "v"}
        for reply in _PROBE_REPLIES:
            messages = [first]
            expected = self._render(messages, start_reply=True)
            for _ in range(2):
                tail = self._tail(reply, last)
                messages += [{"role": "assistant", "content": reply}, last]
                expected += reply + tail
                if self._render(messages, start_reply=True) != expected:
                    raise UserError(
                        f"chat template of {_name(self._tokenizer)} does not keep earlier turns as a prefix (it "
                        "rewrites or trims earlier assistant turns), so sampled tokens cannot be trained on exactly; "
                        "put a template that renders every assistant turn verbatim into the model folder's "
                        "chat_template.jinja"
                    )

    def _render(self, messages: Sequence[Message], *, start_reply: bool) -> str:
        text: str = self._tokenizer.apply_chat_template(
            list(messages), tools=self._tools, tokenize=False, add_generation_prompt=start_reply
        )
        return text

    def _encode(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids


class Conversation:
    """Ids of one episode as they grow: ``prompt_ids`` of turn 1, and everything after it with mask and logprobs."""

    def __init__(self, chat: ChatFormat, messages: Sequence[Message], context_tokens: int) -> None:
        """Start with the environment's first messages."""
        self._chat = chat
        self._context_tokens = context_tokens
        self.prompt_ids = chat.opening(messages)
        self.completion_ids: list[int] = []
        self.mask: list[int] = []
        """1 on tokens sampled in this episode, 0 on the environment's."""
        self.logprobs: list[float] = []
        """0.0 on the environment's tokens."""
        self._ended = False

    @property
    def token_ids(self) -> tuple[int, ...]:
        """Everything so far: the next prompt."""
        return (*self.prompt_ids, *self.completion_ids)

    @property
    def room_tokens(self) -> int:
        """Tokens that still fit into the context."""
        return self._context_tokens - len(self.prompt_ids) - len(self.completion_ids)

    @property
    def sampled_tokens(self) -> int:
        """Number of tokens sampled in this episode."""
        return sum(self.mask)

    def add_reply(self, generation: Generation) -> None:
        """Append the sampled ids verbatim."""
        self._append(generation.token_ids, generation.logprobs, 1)
        self._ended = generation.finished

    def add_observation(self, message: Message) -> bool:
        """Append the environment's answer and the start of the next assistant turn, if that leaves room for one."""
        ids = self._chat.between(message, self._ended)
        fits = len(ids) < self.room_tokens
        if fits:
            self._append(ids, [0.0] * len(ids), 0)
        return fits

    def _append(self, ids: Sequence[int], logprobs: Sequence[float], mask: int) -> None:
        self.completion_ids += ids
        self.logprobs += logprobs
        self.mask += [mask] * len(ids)


def _name(tokenizer: Any) -> str:
    return repr(getattr(tokenizer, "name_or_path", "") or type(tokenizer).__name__)
