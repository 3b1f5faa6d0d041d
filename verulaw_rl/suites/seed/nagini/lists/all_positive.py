# difficulty: 1
from typing import List
from nagini_contracts.contracts import *


def all_positive(a: List[int]) -> bool:
    Requires(Acc(list_pred(a)))
    Ensures(Acc(list_pred(a)))
    Ensures(Result() == Forall(int, lambda k: Implies(0 <= k and k < len(a), a[k] > 0)))
    i = 0
    while i < len(a):
        Invariant(Acc(list_pred(a)))
        Invariant(0 <= i and i <= len(a))
        Invariant(Forall(int, lambda k: Implies(0 <= k and k < i, a[k] > 0)))
        if a[i] <= 0:
            return False
        i = i + 1
    return True
