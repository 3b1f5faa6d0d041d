# difficulty: 1
from typing import List
from nagini_contracts.contracts import *


def index_of(a: List[int], x: int) -> int:
    Requires(Acc(list_pred(a)))
    Ensures(Acc(list_pred(a)))
    Ensures(-1 <= Result() and Result() < len(a))
    Ensures(Implies(Result() >= 0, a[Result()] == x))
    Ensures(Implies(Result() == -1, Forall(int, lambda k: Implies(0 <= k and k < len(a), a[k] != x))))
    i = 0
    while i < len(a):
        Invariant(Acc(list_pred(a)))
        Invariant(0 <= i and i <= len(a))
        Invariant(Forall(int, lambda k: Implies(0 <= k and k < i, a[k] != x)))
        if a[i] == x:
            return i
        i = i + 1
    return -1
