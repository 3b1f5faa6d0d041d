"""Which reward, weights and terms old episodes are scored under: the run's own, or a file's, with some values set.

The lab's commands share ``--reward FILE`` and ``--set KEY=VALUE``; keys are those of a config's ``reward`` block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import yaml
from pydantic import ValidationError

from verulaw_rl.config.episode import EpisodeTerms
from verulaw_rl.errors import UserError
from verulaw_rl.evidence.reward import Reward, load_reward
from verulaw_rl.lab.recorded import RecordedEpisode, Scoring


@dataclass(frozen=True, slots=True)
class Choice:
    """A reward with its weights, and the terms of an episode beside it."""

    reward: Reward
    terms: EpisodeTerms

    @property
    def values(self) -> dict[str, Any]:
        """Every value that can be set, by its key, such as ``weights.annotation_repair.invariant``."""
        tree = {"weights": self.reward.weights.model_dump(mode="json"), "episode": self.terms.model_dump()}
        return dict(_leaves(tree))


def recorded_scoring(episodes: Sequence[RecordedEpisode]) -> Scoring:
    """The one scoring that all the episodes were scored under.

    Raises:
        UserError: they were scored under several.
    """
    first = episodes[0]
    other = next((e for e in episodes if e.scoring != first.scoring), None)
    if other is not None:
        raise UserError(
            f"{first.place} and {other.place} were not scored by the same reward and weights; "
            "name the reward to compare with: --reward FILE"
        )
    return first.scoring


def choose(scoring: Scoring | None, file: str | None, settings: Sequence[str] = ()) -> Choice:
    """The reward to score under.

    Args:
        scoring: the run's own, where there is one.
        file: a reward file, with its default weights; the run's own reward and weights if absent.
        settings: ``KEY=VALUE``, the keys those of a config's ``reward`` block. ``weights.invariant`` sets a weight of
            that name in every table of weights that has it.

    Raises:
        UserError: no such file or key, or a value that the reward refuses.
    """
    terms = EpisodeTerms.model_validate(scoring.terms) if scoring else EpisodeTerms()
    if file is None and scoring is not None:
        base = load_reward(f"rewards/{scoring.name}.py", scoring.weights)
    else:
        base = load_reward(file or "rewards/obligation.py")
    return with_settings(Choice(base, terms), settings)


def with_settings(choice: Choice, settings: Sequence[str]) -> Choice:
    """The choice with some values replaced; see :func:`choose`."""
    if not settings:
        return choice
    tree: dict[str, Any] = {
        "weights": choice.reward.weights.model_dump(),
        "episode": choice.terms.model_dump(),
    }
    for setting in settings:
        key, found, text = setting.partition("=")
        places = _places(tree, key.split(".")) if found else []
        if not places:
            known = ", ".join(choice.values)
            raise UserError(f"--set {setting!r} names no value of {choice.reward.path}; KEY=VALUE with KEY of: {known}")
        try:
            value = yaml.safe_load(text)
        except yaml.YAMLError:
            raise UserError(f"--set {setting!r}: the value is no YAML") from None
        for table, name in places:
            table[name] = value
    try:
        terms = EpisodeTerms.model_validate(tree["episode"])
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(f"--set episode.{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    return Choice(load_reward(str(choice.reward.path), tree["weights"]), terms)


def _places(tree: dict[str, Any], path: list[str]) -> list[tuple[dict[str, Any], str]]:
    """Tables and names that a key stands for; none where there is no such value."""
    *parents, last = path
    table: Any = tree
    for part in parents:
        table = table.get(part) if isinstance(table, dict) else None
    if not isinstance(table, dict) or table is tree:
        return []
    if last in table:
        return [] if isinstance(table[last], dict) else [(table, last)]
    return [(inner, last) for inner in table.values() if isinstance(inner, dict) and last in inner]


def _leaves(tree: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value
