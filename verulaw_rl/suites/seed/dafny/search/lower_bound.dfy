// difficulty: 2
// First position whose element is not below the key.
method LowerBound(s: seq<int>, key: int) returns (p: nat)
  requires forall i, j :: 0 <= i <= j < |s| ==> s[i] <= s[j]
  ensures p <= |s|
  ensures forall k :: 0 <= k < p ==> s[k] < key
  ensures forall k :: p <= k < |s| ==> key <= s[k]
{
  p := 0;
  var size := |s|;
  while size > 0
    invariant 0 <= p <= p + size <= |s|
    invariant forall k :: 0 <= k < p ==> s[k] < key
    invariant forall k :: p + size <= k < |s| ==> key <= s[k]
  {
    var half := size / 2;
    if s[p + half] < key {
      p := p + half + 1;
      size := size - half - 1;
    } else {
      size := half;
    }
  }
}
