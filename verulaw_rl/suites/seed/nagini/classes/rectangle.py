# difficulty: 1
from nagini_contracts.contracts import *


class Rectangle:
    def __init__(self, width: int, height: int) -> None:
        Requires(width >= 0 and height >= 0)
        Ensures(self.sides())
        self.width = width  # type: int
        self.height = height  # type: int
        Fold(self.sides())

    @Predicate
    def sides(self) -> bool:
        return Acc(self.width) and Acc(self.height) and self.width >= 0 and self.height >= 0

    @Pure
    def area(self) -> int:
        Requires(self.sides())
        return Unfolding(self.sides(), self.width * self.height)

    def turn(self) -> None:
        Requires(self.sides())
        Ensures(self.sides())
        Ensures(self.area() == Old(self.area()))
        Unfold(self.sides())
        kept = self.width
        self.width = self.height
        self.height = kept
        Fold(self.sides())
