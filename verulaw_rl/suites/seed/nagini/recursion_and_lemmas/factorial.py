# difficulty: 2
from nagini_contracts.contracts import *


@Pure
def factorial(n: int) -> int:
    Requires(n >= 0)
    Decreases(n)
    if n == 0:
        return 1
    return n * factorial(n - 1)


def compute(n: int) -> int:
    Requires(n >= 0)
    Ensures(Result() == factorial(n))
    product = 1
    i = 0
    while i < n:
        Invariant(0 <= i and i <= n)
        Invariant(product == factorial(i))
        i = i + 1
        product = i * product
    return product
