// difficulty: 1
// Length of a linked list by a loop over its rest.
datatype List = Nil | Cons(head: int, tail: List)

function Length(l: List): nat
{
  match l
  case Nil => 0
  case Cons(_, t) => 1 + Length(t)
}

method ListLength(l: List) returns (n: nat)
  ensures n == Length(l)
{
  n := 0;
  var rest := l;
  while rest.Cons?
    invariant n + Length(rest) == Length(l)
    decreases rest
  {
    rest := rest.tail;
    n := n + 1;
  }
}
