# difficulty: 2
from typing import List, Optional
from nagini_contracts.contracts import *


def find_even(a: List[int]) -> Optional[int]:
    Requires(Acc(list_pred(a)))
    Ensures(Acc(list_pred(a)))
    Ensures(Implies(Result() is None, Forall(int, lambda k: Implies(0 <= k and k < len(a), a[k] % 2 != 0))))
    i = 0
    while i < len(a):
        Invariant(Acc(list_pred(a)))
        Invariant(0 <= i and i <= len(a))
        Invariant(Forall(int, lambda k: Implies(0 <= k and k < i, a[k] % 2 != 0)))
        if a[i] % 2 == 0:
            return a[i]
        i = i + 1
    return None
