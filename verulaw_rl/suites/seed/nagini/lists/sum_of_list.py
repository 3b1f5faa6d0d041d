# difficulty: 2
from typing import List
from nagini_contracts.contracts import *


@Pure
def sum_to(a: List[int], n: int) -> int:
    Requires(Acc(list_pred(a)))
    Requires(0 <= n and n <= len(a))
    Decreases(n)
    if n == 0:
        return 0
    return sum_to(a, n - 1) + a[n - 1]


def total(a: List[int]) -> int:
    Requires(Acc(list_pred(a)))
    Ensures(Acc(list_pred(a)))
    Ensures(Result() == sum_to(a, len(a)))
    t = 0
    i = len(a)
    while i > 0:
        Invariant(Acc(list_pred(a)))
        Invariant(0 <= i and i <= len(a))
        Invariant(t + sum_to(a, i) == sum_to(a, len(a)))
        i = i - 1
        t = t + a[i]
    return t
