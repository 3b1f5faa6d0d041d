# difficulty: 2
from typing import List
from nagini_contracts.contracts import *


def clamp(a: List[int], low: int, high: int) -> List[int]:
    Requires(Acc(list_pred(a)))
    Requires(low <= high)
    Ensures(Acc(list_pred(a)))
    Ensures(Acc(list_pred(Result())))
    Ensures(len(Result()) == len(a))
    Ensures(Forall(int, lambda k: Implies(0 <= k and k < len(Result()), low <= Result()[k] and Result()[k] <= high)))
    out = []  # type: List[int]
    i = 0
    while i < len(a):
        Invariant(Acc(list_pred(a)))
        Invariant(Acc(list_pred(out)))
        Invariant(0 <= i and i <= len(a))
        Invariant(len(out) == i)
        Invariant(Forall(int, lambda k: Implies(0 <= k and k < i, low <= out[k] and out[k] <= high)))
        if a[i] < low:
            out.append(low)
        elif a[i] > high:
            out.append(high)
        else:
            out.append(a[i])
        i = i + 1
    return out
