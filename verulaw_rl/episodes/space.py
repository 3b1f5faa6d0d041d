"""The Gymnasium space of observations and actions: any text up to a length.

``gymnasium.spaces.Text`` wants its characters listed; programs may hold any of Unicode.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Space

MAX_CHARACTERS = 1_000_000

_SAMPLED = "abcdefghijklmnopqrstuvwxyz0123456789 \n<>/@{}()=:;≤∀é"


class AnyText(Space[str]):
    """Any string of at most ``max_length`` characters; samples are short."""

    def __init__(self, max_length: int = MAX_CHARACTERS, seed: int | np.random.Generator | None = None) -> None:
        self.max_length = max_length
        super().__init__(shape=None, dtype=str, seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        """Text has no fixed shape."""
        return False

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """A random text of at most 80 characters; masks are not supported.

        Raises:
            ValueError: a mask or probability was given.
        """
        if mask is not None or probability is not None:
            raise ValueError("AnyText cannot sample under a mask or probabilities; call sample() without them")
        length = int(self.np_random.integers(0, min(80, self.max_length) + 1))
        return "".join(_SAMPLED[i] for i in self.np_random.integers(0, len(_SAMPLED), size=length))

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is a string that is short enough."""
        return isinstance(x, str) and len(x) <= self.max_length

    def __repr__(self) -> str:
        return f"AnyText({self.max_length})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnyText) and other.max_length == self.max_length

    def __hash__(self) -> int:
        return hash((AnyText, self.max_length))
