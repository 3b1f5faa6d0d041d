"""Policies without a model: what a suite is validated with, and what a trained policy is compared to.

They write text, see no tokens, and are deterministic in their seed. ``reference`` looks at the hidden
reference: it shows that full reward can be had.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.episodes.action import Action
from verulaw_rl.episodes.actions import write
from verulaw_rl.languages.dafny.expressions import RESERVED
from verulaw_rl.languages.insertions import Insertion, apply_insertions
from verulaw_rl.languages.registry import get_language
from verulaw_rl.rollouts.policy import TextPolicy
from verulaw_rl.rollouts.proofs import proof_action
from verulaw_rl.suites.instance import Instance

_EDITS = 2

_LOOP = re.compile(r"\s*(while|for)\b")
_TERM = re.compile(r"(?<![\w'])[a-z]\w*(?:\.Length)?(?![\w'(])")
_RELATIONS = ("<=", "<", "==", ">=")


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
    """Submits the given with random annotations: what guessing without a model comes to. Annotation repair only.

    An ``invariant`` after some loop heads (relations between two terms that occur in the program), and now and then
    an ``assert`` elsewhere. It never looks at the reference.
    """

    name = "insertions"

    def _action(self, instance: Instance, seed: int) -> Action | None:
        rng = random.Random(seed)
        lines = instance.given.split("\n")
        lexicon = get_language(instance.language).lexicon
        found = set(_TERM.findall(lexicon.comment.sub(" ", instance.given)))
        terms = sorted(found - lexicon.keywords - RESERVED) or ["0"]

        def relation() -> str:
            return f"{rng.choice(terms)} {rng.choice(_RELATIONS)} {rng.choice([*terms, '0'])}"

        insertions = []
        for number, line in enumerate(lines, start=1):
            if _LOOP.match(line) and "{" not in line and rng.random() < 0.75:
                insertions += [Insertion(number, f"invariant {relation()}") for _ in range(rng.randint(1, _EDITS))]
            elif line.rstrip().endswith(";") and rng.random() < 0.05:
                insertions.append(Insertion(number, f"assert {relation()};"))
        return proof_action(instance.given, apply_insertions(instance.given, insertions), self._settings)


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
