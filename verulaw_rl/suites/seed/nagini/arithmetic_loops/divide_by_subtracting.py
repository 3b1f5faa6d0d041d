# difficulty: 1
from nagini_contracts.contracts import *


def quotient(n: int, d: int) -> int:
    Requires(n >= 0 and d > 0)
    Ensures(Result() * d <= n)
    Ensures(n < (Result() + 1) * d)
    q = 0
    rest = n
    while rest >= d:
        Invariant(rest >= 0)
        Invariant(n == q * d + rest)
        rest = rest - d
        q = q + 1
    return q
