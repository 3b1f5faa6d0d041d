# difficulty: 3
from typing import List
from nagini_contracts.contracts import *


def contains(a: List[int], x: int) -> bool:
    Requires(Acc(list_pred(a)))
    Requires(Forall(int, lambda i: (Forall(int, lambda j: (Implies(0 <= i and i < j and j < len(a), a[i] <= a[j]), [[a[j]]])), [[a[i]]])))
    Ensures(Acc(list_pred(a)))
    Ensures(Implies(not Result(), Forall(int, lambda k: (Implies(0 <= k and k < len(a), a[k] != x), [[a[k]]]))))
    low = 0
    high = len(a)
    while low < high:
        Invariant(Acc(list_pred(a)))
        Invariant(Forall(int, lambda i: (Forall(int, lambda j: (Implies(0 <= i and i < j and j < len(a), a[i] <= a[j]), [[a[j]]])), [[a[i]]])))
        Invariant(0 <= low and low <= high and high <= len(a))
        Invariant(Forall(int, lambda k: (Implies(0 <= k and k < low, a[k] < x), [[a[k]]])))
        Invariant(Forall(int, lambda k: (Implies(high <= k and k < len(a), a[k] > x), [[a[k]]])))
        middle = low + (high - low) // 2
        if a[middle] == x:
            return True
        if a[middle] < x:
            low = middle + 1
        else:
            high = middle
    return False
