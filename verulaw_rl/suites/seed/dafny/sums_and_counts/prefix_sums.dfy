// difficulty: 2
// Table of prefix sums: p[k] is the sum of the first k elements.
function Prefix(s: seq<int>, n: nat): int
  requires n <= |s|
{
  if n == 0 then 0 else Prefix(s, n - 1) + s[n - 1]
}

method PrefixSums(s: seq<int>) returns (p: array<int>)
  ensures p.Length == |s| + 1
  ensures forall k :: 0 <= k <= |s| ==> p[k] == Prefix(s, k)
{
  p := new int[|s| + 1];
  p[0] := 0;
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant forall k :: 0 <= k <= i ==> p[k] == Prefix(s, k)
  {
    p[i + 1] := p[i] + s[i];
    i := i + 1;
  }
}
