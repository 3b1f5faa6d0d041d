"""What a parser of the C family gives, whatever the language: declarations that span tokens, in a program read whole.

The ``syntax``, ``declarations`` and ``view`` modules of Dafny and Verus have the classes; what is shared between the
two asks only for what stands here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, Self, TypeVar

from verulaw_rl.languages.base import ProgramView
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

    @property
    def members(self) -> Sequence[Self]:
        """The declarations that it holds."""
        ...


class Parsed(Protocol):
    """A program with its tokens, and the first thing that could not be read."""

    lexed: Lexed
    error: str | None


class Readable(Protocol):
    """Everything known of a program's syntax."""

    view: ProgramView

    @property
    def program(self) -> Parsed:
        """The program that was read."""
        ...

    @property
    def declarations(self) -> Sequence[Declared]:
        """All declarations in source order, holders before what they hold."""
        ...


D = TypeVar("D", bound=Declared)


def flatten(declarations: Iterable[D]) -> Iterator[D]:
    """All declarations in source order, holders before what they hold."""
    stack = [iter(declarations)]
    while stack:
        for declaration in stack[-1]:
            yield declaration
            if declaration.members:
                stack.append(iter(declaration.members))
                break
        else:
            stack.pop()
