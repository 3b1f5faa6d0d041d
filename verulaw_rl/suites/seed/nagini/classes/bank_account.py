# difficulty: 2
from nagini_contracts.contracts import *


class Account:
    def __init__(self, owner: int) -> None:
        Ensures(Acc(self.owner) and Acc(self.balance))
        Ensures(self.owner == owner and self.balance == 0)
        self.owner = owner  # type: int
        self.balance = 0  # type: int

    @Predicate
    def state(self) -> bool:
        return Acc(self.balance) and self.balance >= 0

    @Pure
    def amount(self) -> int:
        Requires(self.state())
        return Unfolding(self.state(), self.balance)

    def deposit(self, sum: int) -> None:
        Requires(self.state())
        Requires(sum >= 0)
        Ensures(self.state())
        Ensures(self.amount() == Old(self.amount()) + sum)
        Unfold(self.state())
        self.balance = self.balance + sum
        Fold(self.state())

    def withdraw(self, sum: int) -> bool:
        Requires(self.state())
        Requires(sum >= 0)
        Ensures(self.state())
        Ensures(Implies(Result(), self.amount() == Old(self.amount()) - sum))
        Ensures(Implies(not Result(), self.amount() == Old(self.amount())))
        Unfold(self.state())
        if self.balance < sum:
            Fold(self.state())
            return False
        self.balance = self.balance - sum
        Fold(self.state())
        return True
