# difficulty: 3
from nagini_contracts.contracts import *


class Shape:
    def __init__(self) -> None:
        Ensures(Acc(self.size))
        Ensures(self.size == 1)
        self.size = 1  # type: int

    def grow(self, by: int) -> None:
        Requires(Acc(self.size))
        Requires(by >= 0)
        Ensures(Acc(self.size))
        Ensures(self.size >= Old(self.size))
        self.size = self.size + by


class Doubling(Shape):
    def grow(self, by: int) -> None:
        Requires(Acc(self.size))
        Requires(by >= 0)
        Ensures(Acc(self.size))
        Ensures(self.size >= Old(self.size))
        Ensures(self.size == Old(self.size) + 2 * by)
        step = 0
        while step < by:
            Invariant(Acc(self.size))
            Invariant(0 <= step and step <= by)
            Invariant(self.size == Old(self.size) + 2 * step)
            self.size = self.size + 2
            step = step + 1
