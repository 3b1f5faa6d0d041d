# difficulty: 2
from nagini_contracts.contracts import *


class Overdrawn(Exception):
    pass


class Account:
    def __init__(self) -> None:
        Ensures(account(self))
        Ensures(balance_of(self) == 0)
        self.balance = 0  # type: int
        Fold(account(self))


@Predicate
def account(a: Account) -> bool:
    return Acc(a.balance) and a.balance >= 0


@Pure
def balance_of(a: Account) -> int:
    Requires(account(a))
    return Unfolding(account(a), a.balance)


def withdraw(a: Account, amount: int) -> None:
    Requires(account(a))
    Requires(amount >= 0)
    Ensures(account(a))
    Ensures(balance_of(a) == Old(balance_of(a)) - amount)
    Exsures(Overdrawn, account(a) and balance_of(a) == Old(balance_of(a)))
    Unfold(account(a))
    if a.balance < amount:
        Fold(account(a))
        raise Overdrawn()
    a.balance = a.balance - amount
    Fold(account(a))
