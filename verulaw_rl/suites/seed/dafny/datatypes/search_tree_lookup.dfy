// difficulty: 2
// Lookup in a binary search tree by walking down.
datatype Tree = Leaf | Node(left: Tree, key: int, right: Tree)

function Keys(t: Tree): set<int>
{
  match t
  case Leaf => {}
  case Node(l, k, r) => Keys(l) + {k} + Keys(r)
}

predicate Ordered(t: Tree)
{
  match t
  case Leaf => true
  case Node(l, k, r) =>
    Ordered(l) && Ordered(r)
    && (forall x :: x in Keys(l) ==> x < k) && (forall x :: x in Keys(r) ==> k < x)
}

method Contains(t: Tree, v: int) returns (found: bool)
  requires Ordered(t)
  ensures found <==> v in Keys(t)
{
  var at := t;
  while at.Node?
    invariant Ordered(at)
    invariant v in Keys(t) <==> v in Keys(at)
    decreases at
  {
    if v == at.key {
      return true;
    } else if v < at.key {
      at := at.left;
    } else {
      at := at.right;
    }
  }
  return false;
}
