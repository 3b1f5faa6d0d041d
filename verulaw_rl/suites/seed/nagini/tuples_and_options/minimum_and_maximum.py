# difficulty: 2
from typing import List, Tuple
from nagini_contracts.contracts import *


def extremes(a: List[int]) -> Tuple[int, int]:
    Requires(Acc(list_pred(a)))
    Requires(len(a) > 0)
    Ensures(Acc(list_pred(a)))
    Ensures(len(a) == Old(len(a)))
    Ensures(Forall(int, lambda k: Implies(0 <= k and k < len(a), Result()[0] <= a[k] and a[k] <= Result()[1])))
    low = a[0]
    high = a[0]
    i = 1
    while i < len(a):
        Invariant(Acc(list_pred(a)))
        Invariant(len(a) == Old(len(a)))
        Invariant(1 <= i and i <= len(a))
        Invariant(Forall(int, lambda k: Implies(0 <= k and k < i, low <= a[k] and a[k] <= high)))
        if a[i] < low:
            low = a[i]
        if a[i] > high:
            high = a[i]
        i = i + 1
    return low, high
