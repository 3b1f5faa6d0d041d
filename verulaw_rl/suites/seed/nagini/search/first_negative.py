# difficulty: 1
from typing import List
from nagini_contracts.contracts import *


def first_negative(a: List[int]) -> int:
    Requires(Acc(list_pred(a)))
    Ensures(Acc(list_pred(a)))
    Ensures(0 <= Result() and Result() <= len(a))
    Ensures(Forall(int, lambda k: Implies(0 <= k and k < Result(), a[k] >= 0)))
    Ensures(Implies(Result() < len(a), a[Result()] < 0))
    i = 0
    while i < len(a) and a[i] >= 0:
        Invariant(Acc(list_pred(a)))
        Invariant(0 <= i and i <= len(a))
        Invariant(Forall(int, lambda k: Implies(0 <= k and k < i, a[k] >= 0)))
        i = i + 1
    return i
