# difficulty: 2
from nagini_contracts.contracts import *
from nagini_contracts.obligations import MustTerminate


def halvings(n: int) -> int:
    Requires(n > 0)
    Requires(MustTerminate(2))
    Ensures(Result() >= 0)
    Ensures(Result() < n)
    left = n
    steps = 0
    while left > 1:
        Invariant(left >= 1)
        Invariant(steps >= 0)
        Invariant(steps + left <= n)
        Invariant(MustTerminate(left))
        left = left // 2
        steps = steps + 1
    return steps
