# difficulty: 3
from nagini_contracts.contracts import *
from nagini_contracts.obligations import MustTerminate


@Pure
def triangle(n: int) -> int:
    Requires(n >= 0)
    Decreases(n)
    if n == 0:
        return 0
    return triangle(n - 1) + n


def closed_form(n: int) -> bool:
    Requires(n >= 0)
    Requires(MustTerminate(n + 1))
    Ensures(2 * triangle(n) == n * (n + 1))
    if n > 0:
        closed_form(n - 1)
        Assert(triangle(n) == triangle(n - 1) + n)
    return True


def sum_up(n: int) -> int:
    Requires(n >= 0)
    Ensures(2 * Result() == n * (n + 1))
    s = 0
    i = n
    while i > 0:
        Invariant(0 <= i and i <= n)
        Invariant(s + triangle(i) == triangle(n))
        s = s + i
        i = i - 1
    closed_form(n)
    return s
