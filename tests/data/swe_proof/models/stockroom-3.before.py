from typing import List

from nagini_contracts.contracts import *


def restock(levels: List[int], minimum: int) -> int:
    Requires(Acc(list_pred(levels), 1 / 2))
    Ensures(Acc(list_pred(levels), 1 / 2))
    Ensures(Result() >= 0)
    Ensures(Forall(int, lambda j: Implies(j >= 0 and j < len(levels), levels[j] + Result() >= minimum)))
    needed = 0  # type: int
    index = 0  # type: int
    while index < len(levels):
        Invariant(Acc(list_pred(levels), 1 / 2))
        Invariant(index >= 0 and index <= len(levels))
        Invariant(needed >= 0)
        Invariant(Forall(int, lambda j: Implies(j >= 0 and j < index, levels[j] + needed >= minimum)))
        needed = needed + (minimum - levels[index])
        index = index + 1
    return needed
