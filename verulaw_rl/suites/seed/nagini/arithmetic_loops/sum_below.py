# difficulty: 2
from nagini_contracts.contracts import *


@Pure
def sum_below(n: int) -> int:
    Requires(n >= 0)
    Decreases(n)
    if n == 0:
        return 0
    return sum_below(n - 1) + n - 1


def add_up(n: int) -> int:
    Requires(n >= 0)
    Ensures(Result() == sum_below(n))
    total = 0
    i = n
    while i > 0:
        Invariant(0 <= i and i <= n)
        Invariant(total + sum_below(i) == sum_below(n))
        i = i - 1
        total = total + i
    return total
