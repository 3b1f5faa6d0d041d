# difficulty: 2
from typing import List
from nagini_contracts.contracts import *


def positives(a: List[int]) -> List[int]:
    Requires(Acc(list_pred(a)))
    Ensures(Acc(list_pred(a)))
    Ensures(Acc(list_pred(Result())))
    Ensures(len(Result()) <= len(a))
    Ensures(Forall(int, lambda k: Implies(0 <= k and k < len(Result()), Result()[k] > 0)))
    out = []  # type: List[int]
    i = 0
    while i < len(a):
        Invariant(Acc(list_pred(a)))
        Invariant(Acc(list_pred(out)))
        Invariant(0 <= i and i <= len(a))
        Invariant(len(out) <= i)
        Invariant(Forall(int, lambda k: Implies(0 <= k and k < len(out), out[k] > 0)))
        if a[i] > 0:
            out.append(a[i])
        i = i + 1
    return out
