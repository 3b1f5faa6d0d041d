"""What an attribute of a declaration or statement can do; each language says which of its own does what."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Effect(Enum):
    """What an attribute can do."""

    STEERING = "steering"
    """Guides the proof search, the output or the compiler: harmless everywhere."""
    MEANING = "meaning"
    """Changes what a declaration means to others: harmless on an added one, a changed specification on a given one."""
    CONTRACT = "contract"
    """Changes what a text says, such as its contracts: a change of the specification wherever it stands."""
    ESCAPE = "escape"
    """Can make the verifier accept what is not proved, or is not known to be harmless."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute: its name in the usual spelling, the tokens ``[first, last)`` it covers, its strongest effect."""

    name: str
    first: int
    last: int
    canonical: str
    effect: Effect
