# difficulty: 1
from typing import List
from nagini_contracts.contracts import *


def maximum(a: List[int]) -> int:
    Requires(Acc(list_pred(a)))
    Requires(len(a) > 0)
    Ensures(Acc(list_pred(a)))
    Ensures(len(a) == Old(len(a)))
    Ensures(Forall(int, lambda k: Implies(0 <= k and k < len(a), a[k] <= Result())))
    best = a[0]
    i = 1
    while i < len(a):
        Invariant(Acc(list_pred(a)))
        Invariant(len(a) == Old(len(a)))
        Invariant(1 <= i and i <= len(a))
        Invariant(Forall(int, lambda k: Implies(0 <= k and k < i, a[k] <= best)))
        if a[i] > best:
            best = a[i]
        i = i + 1
    return best
