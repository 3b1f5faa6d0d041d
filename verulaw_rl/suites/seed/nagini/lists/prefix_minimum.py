# difficulty: 3
from typing import List
from nagini_contracts.contracts import *


def running_minimum(a: List[int]) -> List[int]:
    Requires(Acc(list_pred(a)))
    Requires(len(a) > 0)
    Ensures(Acc(list_pred(a)))
    Ensures(Acc(list_pred(Result())))
    Ensures(len(Result()) == len(a))
    Ensures(Forall(int, lambda k: Implies(0 <= k and k < len(a), Result()[k] <= a[k])))
    Ensures(Forall(int, lambda k: Implies(0 < k and k < len(a), Result()[k] <= Result()[k - 1])))
    least = a[0]
    out = [least]
    i = 1
    while i < len(a):
        Invariant(Acc(list_pred(a)))
        Invariant(Acc(list_pred(out)))
        Invariant(1 <= i and i <= len(a))
        Invariant(len(out) == i)
        Invariant(out[i - 1] == least)
        Invariant(Forall(int, lambda k: Implies(0 <= k and k < i, out[k] <= a[k])))
        Invariant(Forall(int, lambda k: Implies(0 < k and k < i, out[k] <= out[k - 1])))
        if a[i] < least:
            least = a[i]
        out.append(least)
        i = i + 1
    return out
