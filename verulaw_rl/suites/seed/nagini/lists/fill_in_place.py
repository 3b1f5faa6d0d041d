# difficulty: 2
from typing import List
from nagini_contracts.contracts import *


def fill(a: List[int], value: int) -> None:
    Requires(Acc(list_pred(a)))
    Ensures(Acc(list_pred(a)))
    Ensures(len(a) == Old(len(a)))
    Ensures(Forall(int, lambda k: Implies(0 <= k and k < len(a), a[k] == value)))
    i = 0
    while i < len(a):
        Invariant(Acc(list_pred(a)))
        Invariant(len(a) == Old(len(a)))
        Invariant(0 <= i and i <= len(a))
        Invariant(Forall(int, lambda k: Implies(0 <= k and k < i, a[k] == value)))
        a[i] = value
        i = i + 1
