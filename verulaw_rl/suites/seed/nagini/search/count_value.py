# difficulty: 2
from typing import List
from nagini_contracts.contracts import *


@Pure
def occurrences(a: List[int], x: int, n: int) -> int:
    Requires(Acc(list_pred(a)))
    Requires(0 <= n and n <= len(a))
    Decreases(n)
    if n == 0:
        return 0
    if a[n - 1] == x:
        return occurrences(a, x, n - 1) + 1
    return occurrences(a, x, n - 1)


def count(a: List[int], x: int) -> int:
    Requires(Acc(list_pred(a)))
    Ensures(Acc(list_pred(a)))
    Ensures(Result() == occurrences(a, x, len(a)))
    found = 0
    i = len(a)
    while i > 0:
        Invariant(Acc(list_pred(a)))
        Invariant(0 <= i and i <= len(a))
        Invariant(found + occurrences(a, x, i) == occurrences(a, x, len(a)))
        i = i - 1
        if a[i] == x:
            found = found + 1
    return found
