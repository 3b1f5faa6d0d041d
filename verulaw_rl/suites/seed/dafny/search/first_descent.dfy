// difficulty: 1
// First position at which a sequence goes down; its length when it never does.
method FirstDescent(s: seq<int>) returns (d: nat)
  requires |s| > 0
  ensures 1 <= d <= |s|
  ensures forall k :: 1 <= k < d ==> s[k - 1] <= s[k]
  ensures d < |s| ==> s[d - 1] > s[d]
{
  d := 1;
  while d < |s| && s[d - 1] <= s[d]
    invariant 1 <= d <= |s|
    invariant forall k :: 1 <= k < d ==> s[k - 1] <= s[k]
  {
    d := d + 1;
  }
}
