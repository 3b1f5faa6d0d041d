# difficulty: 2
from nagini_contracts.contracts import *


@Pure
def fib(n: int) -> int:
    Requires(n >= 0)
    Decreases(n)
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def compute(n: int) -> int:
    Requires(n >= 0)
    Ensures(Result() == fib(n))
    a = 0
    b = 1
    i = 0
    while i < n:
        Invariant(0 <= i and i <= n)
        Invariant(a == fib(i))
        Invariant(b == fib(i + 1))
        c = a + b
        a = b
        b = c
        i = i + 1
    return a
