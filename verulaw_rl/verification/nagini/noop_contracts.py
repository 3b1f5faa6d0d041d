"""Nagini's contract library for running a program: no proof, and of the functions what a run can meet.

Stands for every module of ``nagini_contracts`` inside the sandbox (``runner`` lays it there; nothing of verulaw_rl
imports it). Contracts, folds and assertions are taken out before a run; what is left is what Nagini allows in
executable code and in the bodies of pure functions: decorators, permissions (true), quantifiers over something
finite, sequences, sets and multisets. What no run can know says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any, Generic, TypeVar

T = TypeVar("T")
V = TypeVar("V")


class CannotExecuteError(Exception):
    """Something that only a proof can speak of."""


def _nothing(*_: Any, **__: Any) -> None:
    return None


def _true(*_: Any, **__: Any) -> bool:
    return True


def _same(value: T) -> T:
    return value


def _unknown(name: str) -> Callable[..., Any]:
    def unknown(*_: Any, **__: Any) -> Any:
        raise CannotExecuteError(f"{name} cannot be executed")

    return unknown


# Statements of proof, where one is met in an unusual place.
Requires = Ensures = Exsures = Invariant = Decreases = Assume = Assert = Refute = Fold = Unfold = _nothing
Open = Terminates = TerminationMeasure = _nothing
# Permissions, obligations and what concerns two executions.
Acc = Rd = Wildcard = MaySet = MayCreate = list_pred = set_pred = dict_pred = _true
MustTerminate = MustRelease = MustInvoke = token = ctoken = Joinable = MayStart = ThreadPost = _true
Low = LowVal = LowEvent = LowExit = Declassify = TerminatesSif = _true
# Decorators.
Pure = Opaque = Predicate = Inline = Ghost = AllLow = PreservesLow = ContractOnly = IOOperation = _same
Reveal = Old = _same
RD_PRED = 1.0
TOP_MEASURE = -1
Result = _unknown("Result()")
ResultT = _unknown("ResultT()")
RaisedException = _unknown("RaisedException()")
Previous = _unknown("Previous()")
ARP = getARP = _unknown("ARP()")
WaitLevel = Level = _unknown("a level")
IOForall = GetGhostOutput = _unknown("an I/O contract")
getMethod = getArg = getOld = arg = _unknown("a thread's contract")
isNaN = lambda x: x != x  # noqa: E731


def GhostReturns(start_index: int) -> Callable[[T], T]:
    """Decorator that changes nothing."""
    return _same


def Unfolding(predicate: bool, expr: T) -> T:
    """The expression."""
    return expr


def Implies(p: bool, q: bool) -> bool:
    """Implication; the runner has made it one that stops at a false premise."""
    return not p or q


def Let(e1: T, t: Any, e2: Callable[[T], V]) -> V:
    """The function's value at ``e1``."""
    return e2(e1)


def _holds(said: Any) -> bool:
    """A quantifier's body gives a Boolean, or one with its triggers."""
    return bool(said[0] if isinstance(said, tuple) else said)


def _finite(domain: Any) -> Iterable[Any]:
    if isinstance(domain, type) or not isinstance(domain, Iterable):
        raise CannotExecuteError(f"a quantifier over {getattr(domain, '__name__', domain)} cannot be executed")
    return domain


def Forall(domain: Any, predicate: Callable[[Any], Any]) -> bool:
    """Over something finite."""
    return all(_holds(predicate(x)) for x in _finite(domain))


def Exists(domain: Any, predicate: Callable[[Any], Any]) -> bool:
    """Over something finite."""
    return any(_holds(predicate(x)) for x in _finite(domain))


Forall2 = Forall3 = Forall4 = Forall5 = Forall6 = _unknown("a quantifier over several types")


class PSeq(Generic[T], Sized, Iterable[T]):
    """A sequence as a value."""

    def __init__(self, *items: T) -> None:
        self._items = items

    def __contains__(self, item: object) -> bool:
        return item in self._items

    def __getitem__(self, item: int) -> T:
        if not 0 <= item < len(self._items):
            raise IndexError(f"index {item} of a sequence of length {len(self._items)}")
        return self._items[item]

    def __len__(self) -> int:
        return len(self._items)

    def __add__(self, other: PSeq[T]) -> PSeq[T]:
        return PSeq(*self._items, *other)

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PSeq) and self._items == other._items

    def __hash__(self) -> int:
        return hash(self._items)

    def __repr__(self) -> str:
        return f"PSeq({', '.join(map(repr, self._items))})"

    def take(self, until: int) -> PSeq[T]:
        """The items before an index."""
        return PSeq(*self._items[: max(0, until)])

    def drop(self, until: int) -> PSeq[T]:
        """The items from an index on."""
        return PSeq(*self._items[max(0, until) :])

    def update(self, index: int, new_val: T) -> PSeq[T]:
        """The same with another item at an index."""
        items = list(self._items)
        items[index] = new_val
        return PSeq(*items)


class PMultiset(Generic[T], Sized, Iterable[T]):
    """A multiset as a value."""

    def __init__(self, *items: T) -> None:
        self._counts: Counter[T] = Counter(items)

    def num(self, item: T) -> int:
        """How often it holds an item."""
        return self._counts[item]

    def __contains__(self, item: object) -> bool:
        return item in self._counts

    def __len__(self) -> int:
        return sum(self._counts.values())

    def __add__(self, other: PMultiset[T]) -> PMultiset[T]:
        return PMultiset(*self, *other)

    def __sub__(self, other: PMultiset[T]) -> PMultiset[T]:
        return PMultiset(*(self._counts - other._counts).elements())

    def __iter__(self) -> Iterator[T]:
        return self._counts.elements()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PMultiset) and self._counts == other._counts

    def __hash__(self) -> int:
        return hash(frozenset(self._counts.items()))

    def __repr__(self) -> str:
        return f"PMultiset({', '.join(map(repr, self))})"


class PSet(Generic[T], Sized, Iterable[T]):
    """A set as a value."""

    def __init__(self, *items: T) -> None:
        # A dictionary keeps the order, so that a run prints the same every time.
        self._items = dict.fromkeys(items)

    def __contains__(self, item: object) -> bool:
        return item in self._items

    def __len__(self) -> int:
        return len(self._items)

    def __add__(self, other: PSet[T]) -> PSet[T]:
        return PSet(*self, *other)

    def __sub__(self, other: PSet[T]) -> PSet[T]:
        return PSet(*(x for x in self if x not in other))

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PSet) and self._items.keys() == other._items.keys()

    def __hash__(self) -> int:
        return hash(frozenset(self._items))

    def __repr__(self) -> str:
        return f"PSet({', '.join(map(repr, self))})"


def ToSeq(items: Iterable[T]) -> PSeq[T]:
    """The sequence of what an iterable gives."""
    return PSeq(*items)


def ToMS(items: PSeq[T]) -> PMultiset[T]:
    """The multiset of a sequence."""
    return PMultiset(*items)


class ADT:
    """Base of algebraic data types: a named tuple beside it holds the fields."""


class Place:
    """A place of an I/O contract."""


class BaseLock:
    """What every lock is."""


class Lock(BaseLock, Generic[T]):
    """A lock that one thread holds and releases; a run has one thread."""

    def __init__(self, locked_object: T, *_: Any, **__: Any) -> None:
        self._locked = locked_object

    def get_locked(self) -> T:
        """The object that it guards."""
        return self._locked

    def invariant(self) -> bool:
        """For subclasses."""
        return True

    def acquire(self) -> None:
        """Nobody else can hold it."""

    def release(self) -> None:
        """Nobody waits for it."""


class Thread:
    """Runs its target at its start, before anything else goes on."""

    def __init__(
        self, group: object = None, target: Any = None, name: Any = None, args: tuple[Any, ...] = (), **_: Any
    ) -> None:
        self._target, self._args = target, args

    def start(self, *_: Any) -> None:
        """Run the target."""
        self._target(*self._args)

    def join(self, *_: Any) -> None:
        """It has ended."""


class _IOExists:
    """``IOExists1(T)(lambda x: ...)`` stands in contracts only."""

    def __init__(self, *_: Any) -> None:
        pass

    def __class_getitem__(cls, item: Any) -> Any:
        return cls

    def __call__(self, *_: Any) -> bool:
        return True


IOExists = _IOExists
for _n in range(1, 16):
    globals()[f"IOExists{_n}"] = _IOExists
