// difficulty: 2
// Length of the longest run of equal elements that ends the sequence.
method TailRun(s: seq<int>) returns (n: nat)
  requires |s| > 0
  ensures 1 <= n <= |s|
  ensures forall k :: |s| - n <= k < |s| ==> s[k] == s[|s| - 1]
  ensures n < |s| ==> s[|s| - n - 1] != s[|s| - 1]
{
  n := 1;
  while n < |s| && s[|s| - n - 1] == s[|s| - 1]
    invariant 1 <= n <= |s|
    invariant forall k :: |s| - n <= k < |s| ==> s[k] == s[|s| - 1]
  {
    n := n + 1;
  }
}
