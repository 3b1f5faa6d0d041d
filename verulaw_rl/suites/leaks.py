"""Programs of one suite that another suite, or another split of it, holds too. Pure.

What a policy is measured on must not be what it was trained on, even under another name. Programs are compared as
near-duplicates are (``suites.neighbours``: comments gone, names and numbers made alike), but exactly rather than by
sketches, and a program that is a part of a larger one counts as well. ``verulaw-rl leaks`` calls this.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from verulaw_rl.languages.base import Lexicon
from verulaw_rl.languages.registry import get_language
from verulaw_rl.suites.instance import Instance
from verulaw_rl.suites.neighbours import THRESHOLD, shingles

CONTAINED = 0.9
"""Share of the smaller program's shingles that the larger holds, from which it counts as a part of it."""
CONTAINED_FROM = 30
"""Shingles that a part must have: shorter programs are parts of anything."""


@dataclass(frozen=True, slots=True)
class Leak:
    """A program of the first side that a program of the second side is alike to."""

    first: str
    second: str
    kind: Literal["same", "near", "contained"]
    similarity: float
    """Jaccard similarity of the shingles; of ``contained``, the share of the smaller that the larger holds."""


def find_leaks(first: Mapping[str, str], second: Mapping[str, str], lexicon: Lexicon) -> list[Leak]:
    """Pairs of programs that are alike, by the second's order, each with the most alike first.

    Args:
        first: program texts by name, such as those trained on.
        second: program texts by name, such as those measured on.
        lexicon: of their language.
    """
    held = {name: shingles(text, lexicon) for name, text in first.items()}
    where: defaultdict[str, list[str]] = defaultdict(list)
    for name, own in held.items():
        for shingle in own:
            where[shingle].append(name)
    leaks: list[Leak] = []
    for name, text in second.items():
        own = shingles(text, lexicon)
        common = Counter(other for shingle in own for other in where.get(shingle, ()))
        found = (_leak(other, name, shared, len(held[other]), len(own)) for other, shared in common.items())
        leaks += sorted((leak for leak in found if leak), key=lambda leak: (-leak.similarity, leak.first))
    return leaks


def _leak(first: str, second: str, shared: int, size: int, other_size: int) -> Leak | None:
    jaccard = shared / (size + other_size - shared)
    if jaccard >= THRESHOLD:
        return Leak(first, second, "same" if jaccard == 1.0 else "near", jaccard)
    smaller = min(size, other_size)
    if smaller >= CONTAINED_FROM and shared / smaller >= CONTAINED:
        return Leak(first, second, "contained", shared / smaller)
    return None


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
