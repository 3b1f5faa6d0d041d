# difficulty: 2
from nagini_contracts.contracts import *


@Pure
def power(b: int, e: int) -> int:
    Requires(e >= 0)
    Decreases(e)
    if e == 0:
        return 1
    return b * power(b, e - 1)


def raise_to(b: int, e: int) -> int:
    Requires(e >= 0)
    Ensures(Result() == power(b, e))
    result = 1
    i = 0
    while i < e:
        Invariant(0 <= i and i <= e)
        Invariant(result == power(b, i))
        Assert(power(b, i + 1) == b * power(b, i))
        result = b * result
        i = i + 1
    return result
