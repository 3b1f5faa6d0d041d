# difficulty: 1
from nagini_contracts.contracts import *


def steps_to_zero(n: int, step: int) -> int:
    Requires(n >= 0 and step > 0)
    Ensures(Result() >= 0)
    Ensures(n <= Result() * step)
    left = n
    count = 0
    while left > 0:
        Invariant(count >= 0)
        Invariant(n <= left + count * step)
        left = left - step
        count = count + 1
    return count
