# difficulty: 2
from nagini_contracts.contracts import *


def square_root(n: int) -> int:
    Requires(n >= 0)
    Ensures(Result() >= 0)
    Ensures(Result() * Result() <= n)
    Ensures(n < (Result() + 1) * (Result() + 1))
    r = 0
    while (r + 1) * (r + 1) <= n:
        Invariant(r >= 0)
        Invariant(r * r <= n)
        r = r + 1
    return r
