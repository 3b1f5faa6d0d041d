# difficulty: 1
from nagini_contracts.contracts import *


class Point:
    def __init__(self, x: int, y: int) -> None:
        Ensures(Acc(self.x) and Acc(self.y))
        Ensures(self.x == x and self.y == y)
        self.x = x  # type: int
        self.y = y  # type: int


def move_right(p: Point, distance: int) -> None:
    Requires(Acc(p.x) and Acc(p.y, 1 / 2))
    Requires(distance >= 0)
    Ensures(Acc(p.x) and Acc(p.y, 1 / 2))
    Ensures(p.x == Old(p.x) + distance)
    Ensures(p.y == Old(p.y))
    moved = 0
    while moved < distance:
        Invariant(Acc(p.x) and Acc(p.y, 1 / 4))
        Invariant(0 <= moved and moved <= distance)
        Invariant(p.x == Old(p.x) + moved)
        p.x = p.x + 1
        moved = moved + 1
