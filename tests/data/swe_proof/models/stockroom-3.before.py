from typing import List

from nagini_contracts.contracts import *


@Pure
def needed_until(levels: List[int], minimum: int, end: int) -> int:
    Requires(Acc(list_pred(levels), 1 / 2))
    Requires(end >= 0 and end <= len(levels))
    if end == 0:
        return 0
    before = needed_until(levels, minimum, end - 1)
    return before + (minimum - levels[end - 1] if levels[end - 1] < minimum else 0)


def restock(levels: List[int], minimum: int) -> int:
    Requires(Acc(list_pred(levels), 1 / 2))
    Ensures(Acc(list_pred(levels), 1 / 2))
    Ensures(Result() == needed_until(levels, minimum, len(levels)))
    needed = 0  # type: int
    index = 0  # type: int
    while index < len(levels):
        Invariant(Acc(list_pred(levels), 1 / 2))
        Invariant(index >= 0 and index <= len(levels))
        Invariant(needed == needed_until(levels, minimum, index))
        needed = needed + (minimum - levels[index])
        index = index + 1
    return needed
