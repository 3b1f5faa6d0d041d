# difficulty: 1
from nagini_contracts.contracts import *


class Counter:
    def __init__(self) -> None:
        Ensures(Acc(self.value))
        Ensures(self.value == 0)
        self.value = 0  # type: int


@Predicate
def valid(c: Counter) -> bool:
    return Acc(c.value) and c.value >= 0


@Pure
def reading(c: Counter) -> int:
    Requires(valid(c))
    return Unfolding(valid(c), c.value)


def tick(c: Counter) -> None:
    Requires(valid(c))
    Ensures(valid(c))
    Ensures(reading(c) == Old(reading(c)) + 1)
    Unfold(valid(c))
    c.value = c.value + 1
    Fold(valid(c))
