# difficulty: 2
from nagini_contracts.contracts import *


class Bounded:
    def __init__(self, limit: int) -> None:
        Requires(limit >= 0)
        Ensures(Acc(self.limit) and Acc(self.count))
        Ensures(self.limit == limit and self.count == 0)
        self.limit = limit  # type: int
        self.count = 0  # type: int


@Predicate
def in_bounds(b: Bounded) -> bool:
    return Acc(b.limit, 1 / 2) and Acc(b.count) and 0 <= b.count and b.count <= b.limit


@Pure
def count_of(b: Bounded) -> int:
    Requires(in_bounds(b))
    return Unfolding(in_bounds(b), b.count)


def fill_up(b: Bounded) -> int:
    Requires(in_bounds(b))
    Requires(Acc(b.limit, 1 / 2))
    Ensures(in_bounds(b))
    Ensures(Acc(b.limit, 1 / 2))
    Ensures(count_of(b) == b.limit)
    Ensures(Result() >= 0)
    steps = 0
    Unfold(in_bounds(b))
    while b.count < b.limit:
        Invariant(Acc(b.limit, 1 / 2) and Acc(b.count))
        Invariant(0 <= b.count and b.count <= b.limit)
        Invariant(steps >= 0)
        b.count = b.count + 1
        steps = steps + 1
    Fold(in_bounds(b))
    return steps
