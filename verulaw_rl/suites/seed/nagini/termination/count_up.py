# difficulty: 1
from nagini_contracts.contracts import *
from nagini_contracts.obligations import MustTerminate


def count_up(n: int) -> int:
    Requires(n >= 0)
    Requires(MustTerminate(2))
    Ensures(Result() == n)
    i = 0
    while i < n:
        Invariant(0 <= i and i <= n)
        Invariant(MustTerminate(n - i + 1))
        i = i + 1
    return i
