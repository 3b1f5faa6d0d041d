# difficulty: 2
from nagini_contracts.contracts import *
from nagini_contracts.obligations import MustTerminate


def meet(a: int, b: int) -> int:
    Requires(a <= b)
    Requires(MustTerminate(2))
    Ensures(a <= Result() and Result() <= b)
    Ensures(b - Result() <= Result() - a + 1)
    low = a
    high = b
    while low < high:
        Invariant(a <= low and low <= high + 1 and high <= b)
        Invariant(low - a == b - high)
        Invariant(MustTerminate(high - low + 1))
        low = low + 1
        high = high - 1
    return low if low <= b else b
