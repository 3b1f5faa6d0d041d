// difficulty: 2
// Insertion of one value into an ascending sequence.
predicate Ascending(s: seq<int>)
{
  forall i, j :: 0 <= i < j < |s| ==> s[i] <= s[j]
}

method Insert(s: seq<int>, v: int) returns (r: seq<int>)
  requires Ascending(s)
  ensures Ascending(r)
  ensures multiset(r) == multiset(s) + multiset{v}
{
  var i := 0;
  while i < |s| && s[i] < v
    invariant 0 <= i <= |s|
    invariant forall k :: 0 <= k < i ==> s[k] < v
  {
    i := i + 1;
  }
  r := s[..i] + [v] + s[i..];
  assert s == s[..i] + s[i..];
}
