# difficulty: 2
from nagini_contracts.contracts import *


@Pure
def even(n: int) -> bool:
    Requires(n >= 0)
    Decreases(n)
    if n == 0:
        return True
    return not even(n - 1)


def is_even(n: int) -> bool:
    Requires(n >= 0)
    Ensures(Result() == even(n))
    answer = True
    i = n
    while i > 0:
        Invariant(0 <= i and i <= n)
        Invariant(even(n) == (even(i) == answer))
        answer = not answer
        i = i - 1
    return answer
