"""Questions about stock levels: one number of units for each shelf."""


def reserve(free, wanted):
    """Units that can be set aside of ``free`` when ``wanted`` are asked for."""
    if wanted > free:
        return wanted
    return free


def first_short(levels, minimum):
    """Index of the first shelf with fewer units than ``minimum``, -1 if there is none."""
    for index, level in enumerate(levels):
        if level <= minimum:
            return index
    return -1


def restock(levels, minimum):
    """Units to buy so that every shelf has at least ``minimum``."""
    needed = 0
    for level in levels:
        needed += minimum - level
    return needed
