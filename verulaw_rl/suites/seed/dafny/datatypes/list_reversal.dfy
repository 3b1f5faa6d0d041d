// difficulty: 3
// Reversal of a list by a loop with an accumulator.
datatype List = Nil | Cons(head: int, tail: List)

function Append(a: List, b: List): List
{
  match a
  case Nil => b
  case Cons(h, t) => Cons(h, Append(t, b))
}

function Reverse(a: List): List
{
  match a
  case Nil => Nil
  case Cons(h, t) => Append(Reverse(t), Cons(h, Nil))
}

lemma AppendAssociative(a: List, b: List, c: List)
  ensures Append(Append(a, b), c) == Append(a, Append(b, c))
{
  match a
  case Nil =>
  case Cons(_, t) =>
    AppendAssociative(t, b, c);
}

lemma AppendNil(a: List)
  ensures Append(a, Nil) == a
{
}

method ReverseList(a: List) returns (r: List)
  ensures r == Reverse(a)
{
  AppendNil(Reverse(a));
  r := Nil;
  var rest := a;
  while rest != Nil
    invariant Append(Reverse(rest), r) == Reverse(a)
    decreases rest
  {
    AppendAssociative(Reverse(rest.tail), Cons(rest.head, Nil), r);
    assert Append(Cons(rest.head, Nil), r) == Cons(rest.head, r);
    r := Cons(rest.head, r);
    rest := rest.tail;
  }
}
