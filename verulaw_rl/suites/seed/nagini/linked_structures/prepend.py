# difficulty: 2
from typing import Optional
from nagini_contracts.contracts import *


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
    return Unfolding(chain(n), 1 if n.next is None else 1 + length(n.next))


def prepend(n: Node, value: int) -> Node:
    Requires(chain(n))
    Ensures(chain(Result()))
    Ensures(length(Result()) == Old(length(n)) + 1)
    first = Node(value, n)
    Fold(chain(first))
    return first
