# difficulty: 3
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


@Pure
def all_equal(n: Node, value: int) -> bool:
    Requires(chain(n))
    return Unfolding(chain(n), n.value == value and (n.next is None or all_equal(n.next, value)))


def set_all(n: Node, value: int) -> None:
    Requires(chain(n))
    Requires(MustTerminate(length(n)))
    Ensures(chain(n))
    Ensures(all_equal(n, value))
    Unfold(chain(n))
    n.value = value
    following = n.next
    if following is not None:
        set_all(following, value)
    Fold(chain(n))
