// difficulty: 2
// Do two ascending sequences share an element? One walk over both.
method ShareElement(s: seq<int>, t: seq<int>) returns (shared: bool)
  requires forall i, j :: 0 <= i < j < |s| ==> s[i] <= s[j]
  requires forall i, j :: 0 <= i < j < |t| ==> t[i] <= t[j]
  ensures shared <==> exists i, j :: 0 <= i < |s| && 0 <= j < |t| && s[i] == t[j]
{
  var i, j := 0, 0;
  while i < |s| && j < |t|
    invariant 0 <= i <= |s| && 0 <= j <= |t|
    invariant forall p, q :: 0 <= p < i && 0 <= q < |t| ==> s[p] != t[q]
    invariant forall p, q :: 0 <= p < |s| && 0 <= q < j ==> s[p] != t[q]
    decreases |s| - i + |t| - j
  {
    if s[i] == t[j] {
      return true;
    } else if s[i] < t[j] {
      i := i + 1;
    } else {
      j := j + 1;
    }
  }
  return false;
}
