"""``scripted:houdini``: the model-free specialist as a policy, which evaluation compares trained ones with."""

from __future__ import annotations

from collections.abc import Sequence

from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.episodes.action import Action
from verulaw_rl.episodes.actions import write
from verulaw_rl.episodes.services import Services
from verulaw_rl.rollouts.proofs import proof_action
from verulaw_rl.specialist.houdini import Houdini
from verulaw_rl.suites.instance import Instance

NAME = "houdini"


class HoudiniPolicy:
    """Submits the given with the candidates that survive, then ends the episode.

    Args:
        settings: what an episode is.
        services: whose verifier it searches with.
    """

    name = NAME
    version = Houdini.version

    def __init__(self, settings: EpisodeConfig, services: Services) -> None:
        self._settings = settings
        self._services = services

    def reply(self, instance: Instance, messages: Sequence[dict[str, str]], seed: int) -> str:
        """The next assistant turn."""
        action: Action | None = None
        if not any(m["role"] == "assistant" for m in messages):
            services = self._services.for_episode()
            verdict_of = services.verify
            assert verdict_of is not None
            found = Houdini().complete(instance, instance.given, lambda program: verdict_of(instance, program))
            action = proof_action(instance.given, found, self._settings) if found else None
        return write(action or Action("done"), self._settings.wire_format)
