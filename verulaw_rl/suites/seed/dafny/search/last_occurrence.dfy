// difficulty: 1
// Scan from the right: the last position of a value in a sequence, or |s|.
method LastOccurrence(s: seq<int>, v: int) returns (at: nat)
  ensures at <= |s|
  ensures at < |s| ==> s[at] == v && forall k :: at < k < |s| ==> s[k] != v
  ensures at == |s| ==> v !in s
{
  var i := |s|;
  while i > 0
    invariant 0 <= i <= |s|
    invariant forall k :: i <= k < |s| ==> s[k] != v
  {
    i := i - 1;
    if s[i] == v {
      return i;
    }
  }
  at := |s|;
}
