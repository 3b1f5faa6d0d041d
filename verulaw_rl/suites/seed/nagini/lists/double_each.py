# difficulty: 1
from typing import List
from nagini_contracts.contracts import *


def doubled(a: List[int]) -> List[int]:
    Requires(Acc(list_pred(a)))
    Ensures(Acc(list_pred(a)))
    Ensures(Acc(list_pred(Result())))
    Ensures(len(Result()) == len(a))
    Ensures(Forall(int, lambda k: Implies(0 <= k and k < len(a), Result()[k] == 2 * a[k])))
    out = []  # type: List[int]
    i = 0
    while i < len(a):
        Invariant(Acc(list_pred(a)))
        Invariant(Acc(list_pred(out)))
        Invariant(0 <= i and i <= len(a))
        Invariant(len(out) == i)
        Invariant(Forall(int, lambda k: Implies(0 <= k and k < i, out[k] == 2 * a[k])))
        out.append(2 * a[i])
        i = i + 1
    return out
