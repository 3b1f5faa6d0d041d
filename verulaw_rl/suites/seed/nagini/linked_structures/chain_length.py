# difficulty: 2
from typing import Optional
from nagini_contracts.contracts import *
from nagini_contracts.obligations import MustTerminate


class Node:
    def __init__(self, value: int, next: Optional['Node']) -> None:
        Ensures(Acc(self.value) and Acc(self.next))
        Ensures(self.value == value and self.next is next)
        self.value = value  # type: int
        self.next = next  # type: Optional[Node]


@Predicate
def chain(n: Node) -> bool:
    return Acc(n.value) and Acc(n.next) and Implies(n.next is not None, chain(n.next))


@Pure
def length(n: Node) -> int:
    Requires(chain(n))
    Ensures(Result() >= 1)
    return Unfolding(chain(n), 1 if n.next is None else 1 + length(n.next))


def measure(n: Node) -> int:
    Requires(chain(n))
    Requires(MustTerminate(length(n)))
    Ensures(chain(n))
    Ensures(length(n) == Old(length(n)))
    Ensures(Result() == length(n))
    Unfold(chain(n))
    following = n.next
    size = 1
    if following is not None:
        size = 1 + measure(following)
    Fold(chain(n))
    return size
