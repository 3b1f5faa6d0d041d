# difficulty: 2
from nagini_contracts.contracts import *


@Pure
def squares(n: int) -> int:
    Requires(n >= 0)
    Decreases(n)
    if n == 0:
        return 0
    return squares(n - 1) + n * n


def compute(n: int) -> int:
    Requires(n >= 0)
    Ensures(Result() == squares(n))
    total = 0
    i = n
    while i > 0:
        Invariant(0 <= i and i <= n)
        Invariant(total + squares(i) == squares(n))
        total = total + i * i
        i = i - 1
    return total
