// difficulty: 3
// A stack in an array; popping several elements at once.
class BoundedStack {
  var items: array<int>
  var size: nat

  constructor(capacity: nat)
    ensures fresh(items) && items.Length == capacity && size == 0
  {
    items := new int[capacity];
    size := 0;
  }

  method PushAll(s: seq<int>)
    requires size + |s| <= items.Length
    modifies this, items
    ensures items == old(items) && size == old(size) + |s|
    ensures items[..size] == old(items[..size]) + s
  {
    var i := 0;
    while i < |s|
      invariant 0 <= i <= |s|
      invariant items == old(items) && size == old(size) + i
      invariant items[..size] == old(items[..size]) + s[..i]
    {
      items[size] := s[i];
      size := size + 1;
      i := i + 1;
    }
    assert s[..i] == s;
  }
}
