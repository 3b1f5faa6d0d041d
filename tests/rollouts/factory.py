"""Tiny models and scripted token policies, and environments over the scripted verifier of the episodes' tests."""

from collections.abc import Callable, Sequence
from typing import Any

from tests.episodes.factory import Script, make_instance
from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.config.train import SmallPolicy
from verulaw_rl.episodes.env import ProofEnv
from verulaw_rl.episodes.prompts import numbered
from verulaw_rl.episodes.registration import load_environment
from verulaw_rl.episodes.services import Services
from verulaw_rl.evidence.evidence import Evidence
from verulaw_rl.evidence.reward import load_reward
from verulaw_rl.rollouts.policy import Generation, OnDone, Prompt, Sampling
from verulaw_rl.suites.instance import Instance, Suite
from verulaw_rl.training.small_policy import initialise_model, train_tokenizer

TINY = SmallPolicy(hidden_size=32, intermediate_size=64, layers=2, heads=2, vocabulary=400, context_tokens=512)
SETTINGS = EpisodeConfig(hand_in="insertions", prompt="compact", actions=("submit",), turns=1)
RIGHT = "<submit>\n@5\n    invariant i <= n\n</submit>"
WRONG = "<submit>\n@5\n    invariant i < n\n</submit>"


def texts() -> list[str]:
    """What the tiny tokenizer is trained on."""
    instance = make_instance()
    return [numbered(instance.given), RIGHT, WRONG, "user assistant"] * 4


def tiny_tokenizer() -> Any:
    return train_tokenizer(texts(), TINY.vocabulary)


def tiny_model(tokenizer: Any, seed: int = 0) -> Any:
    return initialise_model(TINY, tokenizer, seed).eval()


def hand_suite(count: int) -> Suite:
    return Suite("hand", tuple(make_instance(f"hand/Count{n}/annotation_repair") for n in range(count)))


def scripted_services(collect: Callable[[Instance, str], Evidence] | None = None) -> Services:
    script = Script()
    return Services(collect or script.collect, script.audit, script.execute, load_reward("rewards/obligation.py"))


def env_maker(suite: Suite, services: Services, settings: EpisodeConfig = SETTINGS) -> Callable[[], ProofEnv]:
    environment = load_environment("envs/annotation_repair.py")
    return lambda: environment(suite, settings=settings, services=services)


class Spelling:
    """A token policy that writes fixed replies, one token per byte: ids that no encoder would choose."""

    name = "spelling"
    version = "1"

    def __init__(self, tokenizer: Any, replies: Sequence[str], context_tokens: int = 4096, ends: bool = True) -> None:
        self.tokenizer = tokenizer
        self.context_tokens = context_tokens
        self._replies = replies
        self._ends = ends
        self.prompts: list[Prompt] = []

    def generate(
        self, prompts: Sequence[Prompt], sampling: Sampling, on_done: OnDone | None = None
    ) -> list[Generation]:
        out = []
        for position, prompt in enumerate(prompts):
            self.prompts.append(prompt)
            text = self._replies[min(self._turn(prompt), len(self._replies) - 1)]
            ids = [i for character in text for i in self.tokenizer(character, add_special_tokens=False)["input_ids"]]
            if self._ends:
                ids.append(self.tokenizer.eos_token_id)
            cut = tuple(ids[: prompt.max_tokens])
            finished = self._ends and len(cut) == len(ids)
            shown = self.tokenizer.decode(cut[:-1] if finished else cut)
            out.append(Generation(cut, tuple(-0.5 - k for k in range(len(cut))), shown, finished))
            if on_done is not None:
                on_done(position, out[-1])
        return out

    def _turn(self, prompt: Prompt) -> int:
        """Which turn it is, by the assistant turns that the prompt holds."""
        return self.tokenizer.decode(prompt.token_ids).count("<|im_start|>assistant") - 1
