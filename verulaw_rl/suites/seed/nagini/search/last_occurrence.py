# difficulty: 2
from typing import List
from nagini_contracts.contracts import *


def last_index_of(a: List[int], x: int) -> int:
    Requires(Acc(list_pred(a)))
    Ensures(Acc(list_pred(a)))
    Ensures(len(a) == Old(len(a)))
    Ensures(-1 <= Result() and Result() < len(a))
    Ensures(Implies(Result() >= 0, a[Result()] == x))
    Ensures(Forall(int, lambda k: Implies(Result() < k and k < len(a), a[k] != x)))
    i = len(a) - 1
    while i >= 0 and a[i] != x:
        Invariant(Acc(list_pred(a)))
        Invariant(len(a) == Old(len(a)))
        Invariant(-1 <= i and i < len(a))
        Invariant(Forall(int, lambda k: Implies(i < k and k < len(a), a[k] != x)))
        i = i - 1
    return i
