"""What a parser of the C family gives, whatever the language: declarations that span tokens, in a program read whole.

The ``syntax``, ``declarations`` and ``view`` modules of Dafny and Verus have the classes; what is shared between the
two asks only for what stands here.
"""

from __future__ import annotations

from typing import Protocol

from verulaw_rl.languages.lexed import Lexed


class Declared(Protocol):
    """A declaration and the tokens ``[first, last)`` that it spans."""

    kind: str
    path: str
    first: int
    last: int
    named_at: int
    """Token of the name (of the keyword where there is no name)."""

    @property
    def callable(self) -> bool:
        """Whether it has a contract."""
        ...


class Parsed(Protocol):
    """A program with its tokens."""

    lexed: Lexed


class Readable(Protocol):
    """Everything known of a program's syntax."""

    @property
    def program(self) -> Parsed:
        """The program that was read."""
        ...
