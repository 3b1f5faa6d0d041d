# difficulty: 3
from nagini_contracts.contracts import *


class Purse:
    def __init__(self, coins: int) -> None:
        Requires(coins >= 0)
        Ensures(purse(self))
        Ensures(coins_in(self) == coins)
        self.coins = coins  # type: int
        Fold(purse(self))


@Predicate
def purse(p: Purse) -> bool:
    return Acc(p.coins) and p.coins >= 0


@Pure
def coins_in(p: Purse) -> int:
    Requires(purse(p))
    return Unfolding(purse(p), p.coins)


def transfer(source: Purse, target: Purse, coins: int) -> int:
    Requires(purse(source) and purse(target))
    Requires(coins >= 0)
    Ensures(purse(source) and purse(target))
    Ensures(0 <= Result() and Result() <= coins)
    Ensures(coins_in(source) == Old(coins_in(source)) - Result())
    Ensures(coins_in(target) == Old(coins_in(target)) + Result())
    Ensures(Result() == coins or coins_in(source) == 0)
    moved = 0
    Unfold(purse(source))
    Unfold(purse(target))
    while moved < coins and source.coins > 0:
        Invariant(Acc(source.coins) and Acc(target.coins))
        Invariant(source.coins >= 0 and target.coins >= 0)
        Invariant(0 <= moved and moved <= coins)
        Invariant(source.coins == Old(coins_in(source)) - moved)
        Invariant(target.coins == Old(coins_in(target)) + moved)
        source.coins = source.coins - 1
        target.coins = target.coins + 1
        moved = moved + 1
    Fold(purse(source))
    Fold(purse(target))
    return moved
