# difficulty: 2
from typing import List
from nagini_contracts.contracts import *


class Stack:
    def __init__(self) -> None:
        Ensures(self.stack())
        Ensures(self.size() == 0)
        self.items = []  # type: List[int]
        Fold(self.stack())

    @Predicate
    def stack(self) -> bool:
        return Acc(self.items) and Acc(list_pred(self.items))

    @Pure
    def size(self) -> int:
        Requires(self.stack())
        return Unfolding(self.stack(), len(self.items))

    @Pure
    def at(self, i: int) -> int:
        Requires(self.stack())
        Requires(0 <= i and i < self.size())
        return Unfolding(self.stack(), self.items[i])

    def push(self, x: int) -> None:
        Requires(self.stack())
        Ensures(self.stack())
        Ensures(self.size() == Old(self.size()) + 1)
        Ensures(self.at(self.size() - 1) == x)
        Unfold(self.stack())
        self.items.append(x)
        Fold(self.stack())

    def top(self) -> int:
        Requires(self.stack())
        Requires(self.size() > 0)
        Ensures(self.stack())
        Ensures(self.size() == Old(self.size()))
        Ensures(Result() == self.at(self.size() - 1))
        Unfold(self.stack())
        x = self.items[len(self.items) - 1]
        Fold(self.stack())
        return x
