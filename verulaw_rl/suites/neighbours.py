"""Near-duplicate programs, so that a split never has a program on one side and its twin on the other.

Programs are compared with comments gone and names and numbers made alike; MinHash finds the pairs, and
connected programs form one group.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from datasketch import MinHash, MinHashLSH

from verulaw_rl.languages.base import Lexicon

SHINGLE = 5
"""Tokens per shingle."""
PERMUTATIONS = 128
THRESHOLD = 0.8
"""Estimated Jaccard similarity of shingle sets from which two programs are near-duplicates."""

_TOKEN = re.compile(r"[A-Za-z_][\w'?]*|\d+|[^\s\w]")


def groups(programs: Sequence[tuple[str, str]], lexicon: Lexicon) -> dict[str, str]:
    """Group of each program: the first name, in order, of those connected to it.

    Args:
        programs: (name, text) pairs with distinct names.
        lexicon: of their language.
    """
    index = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent[name] != name:
            name = parent[name]
        return name

    for name, text in programs:
        sketch = MinHash(num_perm=PERMUTATIONS)
        sketch.update_batch([shingle.encode() for shingle in shingles(text, lexicon)])
        parent[name] = name
        for other in sorted(root(o) for o in index.query(sketch)):
            first, second = root(other), root(name)
            parent[second] = first
        index.insert(name, sketch)
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
