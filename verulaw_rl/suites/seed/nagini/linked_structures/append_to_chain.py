# difficulty: 3
from typing import Optional
from nagini_contracts.contracts import *
from nagini_contracts.obligations import MustTerminate


class Node:
    def __init__(self, value: int, next: Optional['Node']) -> None:
        Requires(MustTerminate(1))
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


def append(n: Node, value: int) -> None:
    Requires(chain(n))
    Requires(MustTerminate(length(n) + 1))
    Ensures(chain(n))
    Ensures(length(n) == Old(length(n)) + 1)
    Unfold(chain(n))
    following = n.next
    if following is None:
        last = Node(value, None)
        Fold(chain(last))
        n.next = last
    else:
        append(following, value)
    Fold(chain(n))
