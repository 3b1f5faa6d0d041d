# difficulty: 3
from typing import Optional
from nagini_contracts.contracts import *


class Tree:
    def __init__(self, left: Optional['Tree'], right: Optional['Tree']) -> None:
        Ensures(Acc(self.left) and Acc(self.right))
        Ensures(self.left is left and self.right is right)
        self.left = left  # type: Optional[Tree]
        self.right = right  # type: Optional[Tree]


@Predicate
def tree(t: Tree) -> bool:
    return (Acc(t.left) and Acc(t.right) and Implies(t.left is not None, tree(t.left)) and
            Implies(t.right is not None, tree(t.right)))


@Pure
def size(t: Tree) -> int:
    Requires(tree(t))
    return Unfolding(tree(t), 1 + (0 if t.left is None else size(t.left)) + (0 if t.right is None else size(t.right)))


def join(left: Tree, right: Tree) -> Tree:
    Requires(tree(left) and tree(right))
    Ensures(tree(Result()))
    Ensures(size(Result()) == Old(size(left)) + Old(size(right)) + 1)
    top = Tree(left, right)
    Fold(tree(top))
    return top
