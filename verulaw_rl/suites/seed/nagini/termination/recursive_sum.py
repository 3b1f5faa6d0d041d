# difficulty: 2
from nagini_contracts.contracts import *
from nagini_contracts.obligations import MustTerminate


def sum_below(n: int) -> int:
    Requires(n >= 0)
    Requires(MustTerminate(n + 1))
    Ensures(2 * Result() == n * (n + 1))
    if n == 0:
        return 0
    rest = sum_below(n - 1)
    Assert(2 * rest == (n - 1) * n)
    return rest + n
