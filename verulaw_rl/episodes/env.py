"""The Gymnasium environment that every environment file builds on.

``reset(seed, options={"instance": key})`` gives the prompt; ``step(text)`` takes one assistant turn; the rewards
of the steps add up to the episode's reward. Environment files (``envs/``) subclass :class:`ProofEnv` and
write the prompts; rollouts, evaluation and ``play`` drive it. One environment plays one episode at a time;
several share a suite and its services.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
from gymnasium.error import ResetNeeded

from verulaw_rl.config.episode import EpisodeConfig, RewardConfig
from verulaw_rl.config.verification import VerificationConfig
from verulaw_rl.episodes import prompts
from verulaw_rl.episodes.episode import Episode
from verulaw_rl.episodes.record import EpisodeRecord
from verulaw_rl.episodes.services import Services, live_services
from verulaw_rl.episodes.space import AnyText
from verulaw_rl.episodes.tools import tool_schemas
from verulaw_rl.errors import UserError
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.registry import get_language
from verulaw_rl.suites.bundled import bundled_suite, suite_named
from verulaw_rl.suites.instance import Instance, Suite


class ProofEnv(gymnasium.Env[str, str]):
    """Episodes of one task over a suite's split.

    Subclasses set the task and the prompts. In ``system_prompt`` these names in braces are filled in:
    ``{language}``, ``{rules}`` (the language's, for the task), ``{actions}`` (those offered, with examples),
    ``{hand_in}`` (how a program is handed in), ``{turns}`` (the budget); in ``user_prompt``, ``{program}`` (the
    given, in a fence, with line numbers where insertions are handed in). Braces meant literally are doubled.
    ``compact`` episodes show the numbered given alone. For more than words, override :meth:`system_message` or
    :meth:`user_message`.

    Args:
        suite: a suite, its name or its path, of which the instances of the task count; the bundled suite when absent.
        split: the split that instances are drawn from, ``None`` for all; an instance named in ``reset`` may be of any.
        settings: what an episode is; the design's defaults when absent.
        services: what an episode calls. When absent, live ones of its own, started at the first need and
            closed with the environment.
        render_mode: ``ansi`` renders the conversation so far.

    Raises:
        UserError: unreadable suite, empty split, instances of another task, or settings that do not go together.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 (so declared by Gymnasium)

    task: ClassVar[Task]
    system_prompt: ClassVar[str]
    user_prompt: ClassVar[str] = "{program}"

    def __init__(
        self,
        suite: Suite | Path | str | None = None,
        *,
        split: str | None = "train",
        settings: EpisodeConfig | None = None,
        services: Services | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.suite = self._load(suite)
        self.settings = settings or EpisodeConfig()
        self.render_mode = render_mode
        self.observation_space = AnyText()
        self.action_space = AnyText()
        self._instances = self._drawn_from(split)
        self._check_settings()
        self._services, self._own_services = services, services is None
        self._episode: Episode | None = None
        self._messages: list[dict[str, str]] = []
        self._seed: int | None = None

    def system_message(self, instance: Instance) -> str:
        """What the agent is told first; no system message where it is empty."""
        if self.settings.prompt == "compact":
            return ""
        language = get_language(instance.language)
        return self._filled(
            self.system_prompt,
            language=instance.language.capitalize(),
            rules=language.rules(self.task).strip(),
            actions=prompts.actions(self.settings, language.illustration),
            hand_in=prompts.hand_in(self.settings),
            turns=str(self.settings.turns),
        )

    def user_message(self, instance: Instance) -> str:
        """The instance, as the agent sees it."""
        if self.settings.prompt == "compact":
            return prompts.numbered(instance.given)
        shown = prompts.numbered(instance.given) if self.settings.hand_in == "insertions" else instance.given
        return self._filled(self.user_prompt, program=prompts.fenced(shown, instance.language))

    @property
    def tools(self) -> list[dict[str, Any]] | None:
        """Schemas for ``apply_chat_template(tools=...)``; ``None`` where actions are tags."""
        if self.settings.wire_format == "tags":
            return None
        return tool_schemas(self.settings.actions, self.settings.hand_in)

    @property
    def messages(self) -> list[dict[str, str]]:
        """The chat so far: system and user, then an assistant's message and its answer per turn."""
        return [dict(m) for m in self._messages]

    @property
    def episode(self) -> Episode:
        """The episode that runs or has just ended.

        Raises:
            ResetNeeded: there is none yet.
        """
        if self._episode is None:
            raise ResetNeeded("call reset() before anything else")
        return self._episode

    @property
    def episode_reward(self) -> float | None:
        """Reward of the episode, as if it ended now; ``None`` where it cannot be scored."""
        return self.episode.summary().reward

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: of the generator that draws instances.
            options: ``{"instance": key}`` names the instance; without it one of the split is drawn.

        Returns:
            The last message of the prompt, and ``info`` (see :meth:`step`).

        Raises:
            UserError: no such instance.
        """
        super().reset(seed=seed)
        self._seed = seed
        key = (options or {}).get("instance")
        if key is None:
            instance = self._instances[int(self.np_random.integers(len(self._instances)))]
        else:
            instance = self.suite.get(key)
        if self._services is None:
            self._services = live_services(VerificationConfig(), RewardConfig(), self.settings)
        self._episode = Episode(instance, self.settings, self._services.for_episode())
        system, user = self.system_message(instance), self.user_message(instance)
        self._messages = [{"role": "system", "content": system}] if system else []
        self._messages.append({"role": "user", "content": user})
        return user, self._info()

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take one assistant turn.

        Returns:
            Observation; change of the episode's value; whether the episode has ended; ``False`` (an episode
            cut off from outside ends through :meth:`truncate`); and ``info``: ``instance`` (key), ``messages``
            (the chat so far), ``turn`` (turns taken), ``action`` (its kind, or ``None``), ``invalid`` (short reason, or
            ``None``), ``score`` (of a submission, hidden probes included: for the trainer), ``end_reason`` and, when
            ended, ``episode_reward``.

        Raises:
            ResetNeeded: the episode is over.
        """
        self._running()
        before = self.episode.value
        turn = self.episode.play(action)
        answers = "user" if self.settings.wire_format == "tags" else "tool"
        self._messages.append({"role": "assistant", "content": action})
        self._messages.append({"role": answers, "content": turn.observation})
        ended = self.episode.end_reason is not None
        return turn.observation, self.episode.value - before, ended, False, self._info()

    def truncate(self, reason: str = "context_full", text: str = "") -> float:
        """End the episode from outside, at no cost: the context is full, or the caller gives up.

        Args:
            reason: why; the record's end reason.
            text: what the assistant had written of a turn that was cut off.

        Returns:
            Change of the episode's value, as a step's reward.

        Raises:
            ResetNeeded: the episode is over.
        """
        self._running()
        before = self.episode.value
        self.episode.truncate(reason, text)
        return self.episode.value - before

    def cancel(self) -> None:
        """Break off what the episode asks of the verifier, from any thread.

        A :meth:`step` under way, and every later one that needs the verifier, raises
        :class:`concurrent.futures.CancelledError`; :meth:`reset` begins anew.
        """
        self.episode.services.cancel()

    def record(
        self,
        *,
        run: str = "",
        policy: str = "",
        policy_version: str = "",
        sampling: dict[str, Any] | None = None,
        tokens: dict[str, int] | None = None,
        times: dict[str, float] | None = None,
    ) -> EpisodeRecord:
        """The record of the episode that has ended; the caller says which policy played it, and how."""
        episode = self.episode
        instance, summary, reward = episode.instance, episode.summary(), episode.services.reward
        used = [t.evidence.tool for t in episode.turns if t.evidence is not None and t.evidence.tool is not None]
        return EpisodeRecord(
            instance=instance.key,
            instance_hash=instance.content_hash,
            task=instance.task,
            environment=type(self).__name__,
            settings=self.settings,
            turns=tuple(episode.turns),
            end_reason=episode.end_reason or "running",
            reward=summary.reward,
            direct_score=summary.direct_score,
            assisted_score=summary.assisted_score,
            components=summary.components,
            reward_name=reward.name,
            reward_weights=reward.weights.model_dump(mode="json"),
            terms=episode.services.terms,
            tools=tuple(dict.fromkeys(used)) or (instance.tool,),
            run=run,
            policy=policy,
            policy_version=policy_version,
            seed=self._seed,
            sampling=sampling or {},
            tokens=tokens or {},
            times=times or {},
        )

    def render(self) -> str | None:
        """The conversation so far, in the mode ``ansi``."""
        if self.render_mode != "ansi":
            return None
        return "\n\n".join(f"[{m['role']}]\n{m['content']}" for m in self._messages)

    def close(self) -> None:
        """Close services that are the environment's own."""
        if self._own_services and self._services is not None:
            self._services.close()
            self._services = None

    def _running(self) -> None:
        if self.episode.end_reason is not None:
            raise ResetNeeded(f"the episode is over ({self.episode.end_reason}); call reset()")

    def _info(self) -> dict[str, Any]:
        episode = self.episode
        turn = episode.turns[-1] if episode.turns else None
        info: dict[str, Any] = {
            "instance": episode.instance.key,
            "messages": self.messages,
            "turn": len(episode.turns),
            "action": turn.action if turn else None,
            "invalid": turn.invalid.reason if turn and turn.invalid else None,
            "score": turn.best_score.total if turn and turn.best_score else None,
            "end_reason": episode.end_reason,
        }
        if episode.end_reason is not None:
            info["episode_reward"] = episode.summary().reward
        return info

    def _load(self, suite: Suite | Path | str | None) -> Suite:
        """The suite's instances of this environment's task."""
        if suite is None:
            return bundled_suite(self.task)
        whole = suite if isinstance(suite, Suite) else suite_named(str(suite))
        own = tuple(i for i in whole.instances if i.task is self.task)
        if not own:
            tasks = ", ".join(sorted({i.task for i in whole.instances}))
            raise UserError(
                f"suite {whole.name!r} has no instance of the task {self.task}, which {type(self).__name__} plays; "
                f"it has {tasks or 'none at all'}"
            )
        return Suite(whole.name, own)

    def _drawn_from(self, split: str | None) -> tuple[Instance, ...]:
        instances = self.suite.instances if split is None else self.suite.split(split)
        if not instances:
            splits = ", ".join(sorted({i.split for i in self.suite.instances}))
            raise UserError(f"suite {self.suite.name!r} has no instance in the split {split!r}; its splits: {splits}")
        return instances

    def _check_settings(self) -> None:
        if self.settings.hand_in == "insertions" and self.task is not Task.ANNOTATION_REPAIR:
            raise UserError(f"hand_in: insertions is for annotation_repair only, not {self.task}; use hand_in: full")
        if "assist" in self.settings.actions and self.task is not Task.CODE_GENERATION:
            raise UserError(
                f"actions: assist asks the proof specialist, which is for code_generation only, not {self.task}"
            )
        if "submit" not in self.settings.actions:
            raise UserError("actions: without submit no episode can be scored; add it")

    def _filled(self, template: str, **values: str) -> str:
        try:
            return template.format(**values)
        except (KeyError, IndexError, ValueError) as error:
            file = getattr(sys.modules.get(type(self).__module__), "__file__", None) or type(self).__name__
            raise UserError(
                f"a prompt in {file} cannot be filled in ({type(error).__name__}: {error}); names it may hold: "
                f"{', '.join(values)}; write {{{{ and }}}} for braces"
            ) from None
