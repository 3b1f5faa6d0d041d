// difficulty: 2
// Counting a value, specified by a multiset.
method CountInMultiset(s: seq<int>, v: int) returns (count: nat)
  ensures count == multiset(s)[v]
{
  count := 0;
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant count == multiset(s[..i])[v]
  {
    assert s[..i + 1] == s[..i] + [s[i]];
    if s[i] == v {
      count := count + 1;
    }
    i := i + 1;
  }
  assert s[..i] == s;
}
