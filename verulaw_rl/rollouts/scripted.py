"""Policies without a model: what a suite is validated with, and what a trained policy is compared to.

They write text, see no tokens, and are deterministic in their seed. ``reference`` looks at the hidden
reference: it shows that full reward can be had.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.episodes.action import Action
from verulaw_rl.episodes.actions import write
from verulaw_rl.languages.base import LoopProposals
from verulaw_rl.languages.candidates import with_candidates
from verulaw_rl.languages.insertions import Insertion
from verulaw_rl.languages.registry import get_language
from verulaw_rl.rollouts.policy import TextPolicy
from verulaw_rl.rollouts.proofs import proof_action
from verulaw_rl.suites.instance import Instance

_EDITS = 2

_GUESSED_LOOPS = 0.75
"""Share of the loops that random invariants are put at."""


class _Scripted:
    """Submits a program, or ends the episode where it has none."""

    name = ""
    version = "1"

    def __init__(self, settings: EpisodeConfig) -> None:
        self._settings = settings

    def reply(self, instance: Instance, messages: Sequence[dict[str, str]], seed: int) -> str:
        """The next assistant turn."""
        action = self._action(instance, seed) or Action("done")
        return write(action, self._settings.wire_format)

    def _action(self, instance: Instance, seed: int) -> Action | None:
        raise NotImplementedError


class ReferencePolicy(_Scripted):
    """Submits the hidden reference; ends the episode where the hand-in cannot express it."""

    name = "reference"

    def _action(self, instance: Instance, seed: int) -> Action | None:
        return proof_action(instance.given, instance.reference, self._settings)


class GivenPolicy(_Scripted):
    """Submits the given, unchanged."""

    name = "given"

    def _action(self, instance: Instance, seed: int) -> Action | None:
        return proof_action(instance.given, instance.given, self._settings)


class NullPolicy(_Scripted):
    """Ends every episode without a submission."""

    name = "null"

    def _action(self, instance: Instance, seed: int) -> Action | None:
        return None


class RandomEditPolicy(_Scripted):
    """Submits the reference after two random edits of its lines: dropped, repeated, swapped or cut.

    What comes out is anything from the reference to nonsense, so that scoring meets all of it.
    """

    name = "random"

    def _action(self, instance: Instance, seed: int) -> Action | None:
        rng = random.Random(seed)
        action = proof_action(instance.given, instance.reference, self._settings)
        if action is None:
            return None
        for _ in range(_EDITS):
            if action.insertions:
                action = replace(action, insertions=tuple(_edited_insertions(list(action.insertions), rng)))
            elif action.program:
                action = replace(action, program="\n".join(_edited(action.program.split("\n"), rng)))
        return action


class RandomInsertionsPolicy(_Scripted):
    """Submits the given with random invariants: what guessing without a model comes to. Annotation repair only.

    At three loops of four, one or two of those that the language proposes (``languages.candidates``). It never looks
    at the reference.
    """

    name = "insertions"
    version = "2"

    def _action(self, instance: Instance, seed: int) -> Action | None:
        rng = random.Random(seed)

        def choose(at: LoopProposals) -> tuple[str, ...]:
            if not at.lines or rng.random() >= _GUESSED_LOOPS:
                return ()
            return tuple(rng.choices(at.lines, k=rng.randint(1, _EDITS)))

        guess = with_candidates(get_language(instance.language), instance.given, choose)
        return proof_action(instance.given, guess or instance.given, self._settings)


SCRIPTED_POLICIES: dict[str, Callable[[EpisodeConfig], TextPolicy]] = {
    p.name: p for p in (ReferencePolicy, GivenPolicy, NullPolicy, RandomEditPolicy, RandomInsertionsPolicy)
}
"""Scripted policies by name."""


def _edited_insertions(insertions: list[Insertion], rng: random.Random) -> list[Insertion]:
    """One insertion edited, or moved to another's line."""
    chosen = rng.randrange(len(insertions))
    old = insertions[chosen]
    if rng.random() < 0.25:
        insertions[chosen] = Insertion(rng.choice(insertions).after_line, old.text)
        return insertions
    lines = _edited(old.text.split("\n"), rng)
    text = "\n".join(lines)
    if text.strip():
        insertions[chosen] = Insertion(old.after_line, text)
    else:
        del insertions[chosen]
    return insertions


def _edited(lines: list[str], rng: random.Random) -> list[str]:
    """One random edit of some lines."""
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[other])
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case _:
            lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]
    return lines
