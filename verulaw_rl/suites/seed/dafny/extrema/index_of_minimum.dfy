// difficulty: 1
// First position of the smallest element.
method IndexOfMinimum(s: seq<int>) returns (at: nat)
  requires |s| > 0
  ensures at < |s|
  ensures forall k :: 0 <= k < |s| ==> s[at] <= s[k]
  ensures forall k :: 0 <= k < at ==> s[at] < s[k]
{
  at := 0;
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant 0 <= at < |s|
    invariant at <= i
    invariant forall k :: 0 <= k < i ==> s[at] <= s[k]
    invariant forall k :: 0 <= k < at ==> s[at] < s[k]
  {
    if s[i] < s[at] {
      at := i;
    }
    i := i + 1;
  }
}
