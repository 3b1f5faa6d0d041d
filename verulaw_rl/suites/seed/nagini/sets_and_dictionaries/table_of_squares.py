# difficulty: 2
from typing import Dict
from nagini_contracts.contracts import *


def squares(n: int) -> Dict[int, int]:
    Requires(n >= 0)
    Ensures(Acc(dict_pred(Result())))
    Ensures(Forall(int, lambda k: Implies(0 <= k and k < n, k in Result() and Result()[k] == k * k)))
    table = {}  # type: Dict[int, int]
    i = 0
    while i < n:
        Invariant(Acc(dict_pred(table)))
        Invariant(0 <= i and i <= n)
        Invariant(Forall(int, lambda k: Implies(0 <= k and k < i, k in table and table[k] == k * k)))
        table[i] = i * i
        i = i + 1
    return table
