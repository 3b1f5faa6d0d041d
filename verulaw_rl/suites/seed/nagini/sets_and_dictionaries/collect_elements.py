# difficulty: 2
from typing import List, Set
from nagini_contracts.contracts import *


def elements(a: List[int]) -> Set[int]:
    Requires(Acc(list_pred(a)))
    Ensures(Acc(list_pred(a)))
    Ensures(Acc(set_pred(Result())))
    Ensures(Forall(int, lambda k: Implies(0 <= k and k < len(a), a[k] in Result())))
    out = set()  # type: Set[int]
    i = 0
    while i < len(a):
        Invariant(Acc(list_pred(a)))
        Invariant(Acc(set_pred(out)))
        Invariant(0 <= i and i <= len(a))
        Invariant(Forall(int, lambda k: Implies(0 <= k and k < i, a[k] in out)))
        out.add(a[i])
        i = i + 1
    return out
