// difficulty: 1
// Sum of a sequence, from the front.
function Total(s: seq<int>): int
{
  if |s| == 0 then 0 else Total(s[..|s| - 1]) + s[|s| - 1]
}

method SumSequence(s: seq<int>) returns (sum: int)
  ensures sum == Total(s)
{
  sum := 0;
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant sum == Total(s[..i])
  {
    assert s[..i + 1][..i] == s[..i];
    sum := sum + s[i];
    i := i + 1;
  }
  assert s[..|s|] == s;
}
