"""Near-duplicate programs, so that a split never has a program on one side and its twin on the other.

Programs are compared with comments gone and names and numbers made alike, exactly: the same, near, or one a part of
the other. Connected programs form one group. ``verulaw-rl leaks`` compares by the same rule.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from verulaw_rl.languages.base import Lexicon

SHINGLE = 5
"""Tokens per shingle."""
THRESHOLD = 0.8
"""Jaccard similarity of shingle sets from which two programs are near-duplicates."""
CONTAINED = 0.9
"""Share of the smaller program's shingles that the larger holds, from which it counts as a part of it."""
CONTAINED_FROM = 30
"""Shingles that a part must have: shorter programs are parts of anything."""

_TOKEN = re.compile(r"[A-Za-z_][\w'?]*|\d+|[^\s\w]")


@dataclass(frozen=True, slots=True)
class Likeness:
    """A program that another is alike to."""

    name: str
    kind: Literal["same", "near", "contained"]
    similarity: float
    """Jaccard similarity of the shingles; of ``contained``, the share of the smaller that the larger holds."""


class Neighbours:
    """Programs by their shingles, to find those that a program is alike to."""

    def __init__(self) -> None:
        self._sizes: dict[str, int] = {}
        self._where: defaultdict[str, list[str]] = defaultdict(list)

    def add(self, name: str, own: set[str]) -> None:
        """Hold a program's shingles."""
        self._sizes[name] = len(own)
        for shingle in own:
            self._where[shingle].append(name)

    def of(self, own: set[str]) -> list[Likeness]:
        """Programs held that one with these shingles is alike to, the most alike first."""
        common = Counter(name for shingle in own for name in self._where.get(shingle, ()))
        found = (_likeness(name, shared, self._sizes[name], len(own)) for name, shared in common.items())
        return sorted((one for one in found if one), key=lambda one: (-one.similarity, one.name))


def _likeness(name: str, shared: int, size: int, other_size: int) -> Likeness | None:
    jaccard = shared / (size + other_size - shared)
    if jaccard >= THRESHOLD:
        return Likeness(name, "same" if jaccard == 1.0 else "near", jaccard)
    smaller = min(size, other_size)
    if smaller >= CONTAINED_FROM and shared / smaller >= CONTAINED:
        return Likeness(name, "contained", shared / smaller)
    return None


def groups(programs: Sequence[tuple[str, str]], lexicon: Lexicon) -> dict[str, str]:
    """Group of each program: the first name, in order, of those connected to it.

    Args:
        programs: (name, text) pairs with distinct names.
        lexicon: of their language.
    """
    held = Neighbours()
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent[name] != name:
            name = parent[name]
        return name

    for name, text in programs:
        own = shingles(text, lexicon)
        parent[name] = name
        for other in held.of(own):
            parent[root(other.name)] = root(name)
        held.add(name, own)
    order = {name: k for k, (name, _) in enumerate(programs)}
    members: dict[str, list[str]] = {}
    for name in parent:
        members.setdefault(root(name), []).append(name)
    return {name: min(family, key=order.__getitem__) for family in members.values() for name in family}


def shingles(text: str, lexicon: Lexicon) -> set[str]:
    """Overlapping runs of :data:`SHINGLE` normalised tokens."""
    tokens = [_normalised(t, lexicon) for t in _TOKEN.findall(lexicon.comment.sub(" ", text))]
    return {" ".join(tokens[k : k + SHINGLE]) for k in range(max(1, len(tokens) - SHINGLE + 1))}


def _normalised(token: str, lexicon: Lexicon) -> str:
    if token.isdigit():
        return "0"
    return token if token in lexicon.keywords or not (token[0].isalpha() or token[0] == "_") else "x"
