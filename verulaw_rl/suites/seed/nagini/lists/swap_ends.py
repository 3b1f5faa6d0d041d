# difficulty: 1
from typing import List
from nagini_contracts.contracts import *


def swap_ends(a: List[int]) -> int:
    Requires(Acc(list_pred(a)))
    Requires(len(a) > 1)
    Ensures(Acc(list_pred(a)))
    Ensures(len(a) == Old(len(a)))
    Ensures(a[0] == Old(a[len(a) - 1]))
    Ensures(a[len(a) - 1] == Old(a[0]))
    Ensures(0 <= Result() and Result() < len(a))
    first = a[0]
    last = len(a) - 1
    a[0] = a[last]
    a[last] = first
    at = 0
    while at < last:
        Invariant(Acc(list_pred(a)))
        Invariant(len(a) == Old(len(a)) and last == len(a) - 1)
        Invariant(0 <= at and at <= last)
        Invariant(a[0] == Old(a[len(a) - 1]))
        Invariant(a[last] == Old(a[0]))
        at = at + 1
    return at
