from nagini_contracts.contracts import *


def reserve(free: int, wanted: int) -> int:
    Requires(free >= 0)
    Requires(wanted >= 0)
    Ensures(Result() <= free)
    Ensures(Result() <= wanted)
    Ensures(Result() == free or Result() == wanted)
    if wanted > free:
        return free
    return wanted
