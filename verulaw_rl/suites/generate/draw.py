"""The random choices of one generated program, and the names and loops made of them.

:class:`Draw` separates two kinds of choice. ``option`` is structural (array or sequence, up or down,
which comparison) and is recorded, so that a program knows its variant; ``pick`` and ``name`` are
surface (identifiers, constants) and are not. Family builders ask for nothing else, so that a program
is a function of the seed alone. Called by the modules beside it only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

T = TypeVar("T")

POOLS: dict[str, tuple[str, ...]] = {
    "method": ("Compute", "Run", "Solve", "Work", "Make", "Process"),
    "function": ("F", "G", "H", "Acc", "Fold", "Val"),
    "array": ("a", "b", "v", "arr", "data"),
    "seq": ("s", "t", "q", "list", "items"),
    "index": ("i", "j", "p", "idx", "pos"),
    "result": ("r", "m", "res", "out", "acc"),
    "side": ("c", "u", "cnt", "aux"),
    "bound": ("n", "len", "size"),
    "quantified": ("k", "l", "z", "w"),
    "number": ("x", "y", "d", "e", "key"),
    "flag": ("ok", "yes", "good", "flag"),
}
"""Identifiers by role: small, so that a vocabulary of some hundred words covers every program."""

OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
"""Comparison that holds exactly when another does not."""


class Draw:
    """Choices for one program from one random stream."""

    def __init__(self, random: Random, names: int | None = None, constants: int | None = None) -> None:
        """Start a program; ``names`` and ``constants`` bound how many identifiers and values are drawn from."""
        self._random = random
        self._names = names
        self._constants = constants
        self._used: set[str] = set()
        self._options: list[str] = []

    @property
    def variant(self) -> str:
        """The structural options chosen so far, joined: equal for programs that differ in names and constants only."""
        return "/".join(self._options)

    def option(self, choices: Sequence[T]) -> T:
        """A structural choice."""
        chosen = self._random.choice(choices)
        self._options.append(str(chosen))
        return chosen

    def pick(self, choices: Sequence[T]) -> T:
        """A surface choice."""
        return self._random.choice(choices)

    def name(self, role: str) -> str:
        """An identifier that this program does not have yet."""
        unused = [n for n in POOLS[role] if n not in self._used]
        name = self.pick(unused[: self._names])
        self._used.add(name)
        return name

    def number(self, low: int = 1, high: int = 12) -> int:
        """A constant."""
        return self._random.randint(low, min(high, low + (self._constants or high) - 1))


@dataclass(frozen=True, slots=True)
class Container:
    """An array or sequence of integers that a program reads."""

    name: str
    is_array: bool

    @property
    def type(self) -> str:
        """Its Dafny type."""
        return "array<int>" if self.is_array else "seq<int>"

    @property
    def length(self) -> str:
        """Expression of its length."""
        return f"{self.name}.Length" if self.is_array else f"|{self.name}|"

    @property
    def parameter(self) -> str:
        """Its declaration as a formal parameter."""
        return f"{self.name}: {self.type}"


def container(draw: Draw, kind: str = "any") -> Container:
    """A fresh container; ``kind`` is ``any``, ``array`` or ``seq``."""
    is_array = draw.option(("array", "seq")) == "array" if kind == "any" else kind == "array"
    return Container(draw.name("array" if is_array else "seq"), is_array)


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop of an index over ``0 .. bound``, upwards or downwards, late or early in taking its step."""

    index: str
    bound: str
    up: bool
    early: bool
    condition: str
    first: int = 0

    @property
    def start(self) -> str:
        """Statement that sets up the index."""
        return f"var {self.index} := {self.first if self.up else self.bound};"

    @property
    def range(self) -> str:
        """The invariant of the index."""
        return f"{self.first} <= {self.index} <= {self.bound}"

    @property
    def at(self) -> str:
        """Position that the body is to treat, as the body writes it."""
        return f"{self.index} - 1" if self.early else self.index

    def seen(self, k: str) -> str:
        """Range of the positions treated so far."""
        return f"0 <= {k} < {self.index}" if self.up else f"{self.index} <= {k} < {self.bound}"

    def unseen(self, k: str) -> str:
        """Range of the positions still to be treated."""
        return f"{self.index} <= {k} < {self.bound}" if self.up else f"0 <= {k} < {self.index}"

    def whole(self, k: str) -> str:
        """Range of all positions."""
        return f"0 <= {k} < {self.bound}"

    @property
    def rounds(self) -> str:
        """Number of rounds done, for counters that run beside the index."""
        return self.index if self.up else f"({self.bound} - {self.index})"

    def body(self, statements: Sequence[str]) -> list[str]:
        """The statements with the index's step at its place."""
        if not self.up:
            return [f"{self.index} := {self.index} - 1;", *statements]
        step = f"{self.index} := {self.index} + 1;"
        return [step, *statements] if self.early else [*statements, step]


def loop(
    draw: Draw, bound: str, *, directions: Sequence[str] = ("up", "down"), can_be_early: bool = True, first: int = 0
) -> Loop:
    """A loop up to (or down from) ``bound``; the condition's form and the place of the step vary."""
    index = draw.name("index")
    up = draw.option(directions) == "up"
    end = bound if up else "0"
    compare = draw.option(("<", "!=", "flipped"))
    less, more = ("<", ">") if up else (">", "<")
    condition = {"<": f"{index} {less} {end}", "!=": f"{index} != {end}", "flipped": f"{end} {more} {index}"}[compare]
    early = up and can_be_early and draw.option(("late", "early")) == "early"
    return Loop(index, bound, up, early, condition, first)


@dataclass(frozen=True, slots=True)
class Side:
    """An optional second result that counts rounds in constant steps: one more invariant of the common form."""

    results: tuple[str, ...] = ()
    ensures: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    invariants: tuple[str, ...] = ()
    step: tuple[str, ...] = ()


def side(draw: Draw, over: Loop) -> Side:
    """Nothing, or a counter that runs beside the loop."""
    kind = draw.option(("none", "+", "-"))
    if kind == "none":
        return Side()
    name, start, factor = draw.name("side"), draw.number(0, 9), draw.number(2, 9)
    value = f"{name} == {start} {kind} {factor} * "
    return Side(
        (f"{name}: int",),
        (value + over.bound,),
        (f"{name} := {start};",),
        (value + over.rounds,),
        (f"{name} := {name} {kind} {factor};",),
    )


def predicate(draw: Draw, bound: str) -> tuple[str, str]:
    """A condition on an element and its negation, both as templates with ``{}`` for the element."""
    kind = draw.option(("<", "<=", ">", ">=", "==", "!=", "%"))
    if kind == "%":
        divisor = draw.number(2, 5)
        rest = draw.number(0, divisor - 1)
        return f"{{}} % {divisor} == {rest}", f"{{}} % {divisor} != {rest}"
    return f"{{}} {kind} {bound}", f"{{}} {OPPOSITE[kind]} {bound}"


def text(
    signature: str,
    clauses: Sequence[str],
    before: Sequence[str],
    condition: str,
    invariants: Sequence[str],
    body: Sequence[str],
    after: Sequence[str] = (),
    helper: str = "",
) -> str:
    """A program of one method with one loop; ``invariants`` may end with a ``decreases`` line."""
    lines = [f"method {signature}", *(f"  {c}" for c in clauses), "{"]
    lines += [f"  {s}" for s in before]
    lines.append(f"  while {condition}")
    lines += [f"    {i}" if i.startswith("decreases") else f"    invariant {i}" for i in invariants]
    lines += ["  {", *(f"    {s}" for s in body), "  }", *(f"  {s}" for s in after), "}"]
    return helper + "\n".join(lines) + "\n"


def branch(condition: str, then: str, otherwise: str = "") -> list[str]:
    """An ``if`` statement over lines."""
    tail = ["} else {", f"  {otherwise}", "}"] if otherwise else ["}"]
    return [f"if {condition} {{", f"  {then}", *tail]
