// difficulty: 2
// Top of a sequence that rises and then falls: the first step down ends the climb.
method Peak(s: seq<int>, top: nat) returns (p: nat)
  requires top < |s|
  requires forall i, j :: 0 <= i < j <= top ==> s[i] < s[j]
  requires forall i, j :: top <= i < j < |s| ==> s[i] > s[j]
  ensures p == top
  ensures forall k :: 0 <= k < |s| ==> s[k] <= s[p]
{
  p := 0;
  while p + 1 < |s| && s[p] < s[p + 1]
    invariant 0 <= p <= top
    decreases |s| - p
  {
    p := p + 1;
  }
}
