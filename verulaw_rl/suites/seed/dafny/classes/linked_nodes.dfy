// difficulty: 3
// A singly linked chain that knows the sequence of its values.
class Node {
  var value: int
  var next: Node?
  var repr: set<object>
  var values: seq<int>

  predicate Valid()
    reads this, repr
    decreases repr
  {
    this in repr
    && (next == null ==> values == [value])
    && (next != null ==>
      next in repr && next.repr <= repr && this !in next.repr && next.Valid() && values == [value] + next.values)
  }

  constructor(v: int, n: Node?)
    requires n != null ==> n.Valid()
    ensures Valid()
    ensures values == [v] + (if n == null then [] else n.values)
  {
    value, next := v, n;
    if n == null {
      repr, values := {this}, [v];
    } else {
      repr, values := {this} + n.repr, [v] + n.values;
    }
  }

  method Length() returns (n: nat)
    requires Valid()
    ensures n == |values|
  {
    n := 1;
    var at: Node := this;
    while at.next != null
      invariant at.Valid()
      invariant n + |at.values| == |values| + 1
      decreases |at.values|
    {
      at := at.next;
      n := n + 1;
    }
  }
}
