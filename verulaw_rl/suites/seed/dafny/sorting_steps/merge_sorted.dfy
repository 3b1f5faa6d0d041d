// difficulty: 3
// Merge of two ascending sequences.
predicate Sorted(s: seq<int>)
{
  forall i, j :: 0 <= i < j < |s| ==> s[i] <= s[j]
}

method Merge(s: seq<int>, t: seq<int>) returns (r: seq<int>)
  requires Sorted(s) && Sorted(t)
  ensures Sorted(r)
  ensures multiset(r) == multiset(s) + multiset(t)
{
  r := [];
  var i, j := 0, 0;
  while i < |s| || j < |t|
    invariant 0 <= i <= |s| && 0 <= j <= |t|
    invariant Sorted(r)
    invariant forall p, q :: 0 <= p < |r| && i <= q < |s| ==> r[p] <= s[q]
    invariant forall p, q :: 0 <= p < |r| && j <= q < |t| ==> r[p] <= t[q]
    invariant multiset(r) == multiset(s[..i]) + multiset(t[..j])
    decreases |s| - i + |t| - j
  {
    if j == |t| || (i < |s| && s[i] <= t[j]) {
      assert s[..i + 1] == s[..i] + [s[i]];
      r := r + [s[i]];
      i := i + 1;
    } else {
      assert t[..j + 1] == t[..j] + [t[j]];
      r := r + [t[j]];
      j := j + 1;
    }
  }
  assert s[..i] == s;
  assert t[..j] == t;
}
