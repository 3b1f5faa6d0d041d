# difficulty: 1
from nagini_contracts.contracts import *


class Cell:
    def __init__(self, content: int) -> None:
        Ensures(cell(self))
        Ensures(content_of(self) == content)
        self.content = content  # type: int
        Fold(cell(self))


@Predicate
def cell(c: Cell) -> bool:
    return Acc(c.content)


@Pure
def content_of(c: Cell) -> int:
    Requires(cell(c))
    return Unfolding(cell(c), c.content)


def swap(a: Cell, b: Cell) -> None:
    Requires(cell(a) and cell(b))
    Ensures(cell(a) and cell(b))
    Ensures(content_of(a) == Old(content_of(b)))
    Ensures(content_of(b) == Old(content_of(a)))
    Unfold(cell(a))
    Unfold(cell(b))
    kept = a.content
    a.content = b.content
    b.content = kept
    Fold(cell(a))
    Fold(cell(b))
