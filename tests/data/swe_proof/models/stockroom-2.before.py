from typing import List

from nagini_contracts.contracts import *


def first_short(levels: List[int], minimum: int) -> int:
    Requires(Acc(list_pred(levels), 1 / 2))
    Ensures(Acc(list_pred(levels), 1 / 2))
    Ensures(Result() >= -1 and Result() < len(levels))
    Ensures(Implies(Result() >= 0, levels[Result()] < minimum))
    Ensures(Implies(Result() >= 0, Forall(int, lambda j: Implies(j >= 0 and j < Result(), levels[j] >= minimum))))
    Ensures(Implies(Result() < 0, Forall(int, lambda j: Implies(j >= 0 and j < len(levels), levels[j] >= minimum))))
    index = 0  # type: int
    while index < len(levels):
        Invariant(Acc(list_pred(levels), 1 / 2))
        Invariant(index >= 0 and index <= len(levels))
        Invariant(Forall(int, lambda j: Implies(j >= 0 and j < index, levels[j] >= minimum)))
        if levels[index] <= minimum:
            return index
        index = index + 1
    return -1
