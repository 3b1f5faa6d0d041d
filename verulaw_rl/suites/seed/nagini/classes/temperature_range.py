# difficulty: 2
from nagini_contracts.contracts import *


class Log:
    def __init__(self, first: int) -> None:
        Ensures(log(self))
        Ensures(lowest(self) == first and highest(self) == first)
        self.low = first  # type: int
        self.high = first  # type: int
        Fold(log(self))


@Predicate
def log(t: Log) -> bool:
    return Acc(t.low) and Acc(t.high) and t.low <= t.high


@Pure
def lowest(t: Log) -> int:
    Requires(log(t))
    return Unfolding(log(t), t.low)


@Pure
def highest(t: Log) -> int:
    Requires(log(t))
    return Unfolding(log(t), t.high)


def record(t: Log, value: int) -> None:
    Requires(log(t))
    Ensures(log(t))
    Ensures(lowest(t) <= value and value <= highest(t))
    Ensures(lowest(t) <= Old(lowest(t)))
    Ensures(highest(t) >= Old(highest(t)))
    Unfold(log(t))
    if value < t.low:
        t.low = value
    if value > t.high:
        t.high = value
    Fold(log(t))
