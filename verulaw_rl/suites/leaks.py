"""Programs of one suite that another suite, or another split of it, holds too. Pure.

What a policy is measured on must not be what it was trained on, even under another name. Programs are compared as
near-duplicates are (``suites.neighbours``). ``verulaw-rl leaks`` calls this.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from verulaw_rl.languages.base import Lexicon
from verulaw_rl.languages.registry import get_language
from verulaw_rl.suites.instance import Instance
from verulaw_rl.suites.neighbours import Neighbours, shingles


@dataclass(frozen=True, slots=True)
class Leak:
    """A program of the first side that a program of the second side is alike to."""

    first: str
    second: str
    kind: Literal["same", "near", "contained"]
    similarity: float
    """As in :class:`verulaw_rl.suites.neighbours.Likeness`."""


def find_leaks(first: Mapping[str, str], second: Mapping[str, str], lexicon: Lexicon) -> list[Leak]:
    """Pairs of programs that are alike, by the second's order, each with the most alike first.

    Args:
        first: program texts by name, such as those trained on.
        second: program texts by name, such as those measured on.
        lexicon: of their language.
    """
    held = Neighbours()
    for name, text in first.items():
        held.add(name, shingles(text, lexicon))
    return [
        Leak(like.name, name, like.kind, like.similarity)
        for name, text in second.items()
        for like in held.of(shingles(text, lexicon))
    ]


def leaks_between(first: Iterable[Instance], second: Iterable[Instance]) -> list[Leak]:
    """Leaks between the references of two sets of instances; programs of different languages are not compared."""
    sides = [_by_language(instances) for instances in (first, second)]
    return [
        leak
        for language in sorted(sides[0].keys() & sides[1].keys())
        for leak in find_leaks(sides[0][language], sides[1][language], get_language(language).lexicon)
    ]


def _by_language(instances: Iterable[Instance]) -> dict[str, dict[str, str]]:
    """Reference of each program, by language, suite and name."""
    out: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for i in instances:
        out[i.language][f"{i.suite}/{i.program}"] = i.reference
    return dict(out)
