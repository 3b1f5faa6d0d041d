// difficulty: 3
// Strictly ascending version of an ascending sequence with the same elements.
method Distinct(s: seq<int>) returns (r: seq<int>)
  requires forall i, j :: 0 <= i < j < |s| ==> s[i] <= s[j]
  ensures forall i, j :: 0 <= i < j < |r| ==> r[i] < r[j]
  ensures forall v :: v in s <==> v in r
{
  r := [];
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant forall p, q :: 0 <= p < q < |r| ==> r[p] < r[q]
    invariant forall p, q :: 0 <= p < |r| && i <= q < |s| ==> r[p] <= s[q]
    invariant forall v :: v in s[..i] <==> v in r
  {
    assert s[..i + 1] == s[..i] + [s[i]];
    if |r| == 0 || r[|r| - 1] != s[i] {
      r := r + [s[i]];
    }
    i := i + 1;
  }
  assert s[..i] == s;
}
