# difficulty: 1
from nagini_contracts.contracts import *


def sum_of_odds(n: int) -> int:
    Requires(n >= 0)
    Ensures(Result() == n * n)
    total = 0
    k = 0
    while k < n:
        Invariant(0 <= k and k <= n)
        Invariant(total == k * k)
        total = total + 2 * k + 1
        k = k + 1
    return total
