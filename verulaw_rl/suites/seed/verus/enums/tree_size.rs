// difficulty: 3
use vstd::prelude::*;

verus! {

enum Tree {
    Leaf,
    Node { left: Box<Tree>, right: Box<Tree> },
}

spec fn size(t: Tree) -> nat
    decreases t,
{
    match t {
        Tree::Leaf => 0,
        Tree::Node { left, right } => 1 + size(*left) + size(*right),
    }
}

spec fn mirror(t: Tree) -> Tree
    decreases t,
{
    match t {
        Tree::Leaf => Tree::Leaf,
        Tree::Node { left, right } => Tree::Node {
            left: Box::new(mirror(*right)),
            right: Box::new(mirror(*left)),
        },
    }
}

proof fn mirror_keeps_size(t: Tree)
    ensures
        size(mirror(t)) == size(t),
    decreases t,
{
    match t {
        Tree::Leaf => {},
        Tree::Node { left, right } => {
            mirror_keeps_size(*left);
            mirror_keeps_size(*right);
        },
    }
}

proof fn mirror_twice(t: Tree)
    ensures
        mirror(mirror(t)) == t,
    decreases t,
{
    match t {
        Tree::Leaf => {},
        Tree::Node { left, right } => {
            mirror_twice(*left);
            mirror_twice(*right);
        },
    }
}

fn main() {
}

} // verus!
