// difficulty: 2
// Sums of the positive and of the negative elements in one pass.
function SumOfPositive(s: seq<int>, n: nat): int
  requires n <= |s|
{
  if n == 0 then 0 else SumOfPositive(s, n - 1) + (if s[n - 1] > 0 then s[n - 1] else 0)
}

function SumOfNegative(s: seq<int>, n: nat): int
  requires n <= |s|
{
  if n == 0 then 0 else SumOfNegative(s, n - 1) + (if s[n - 1] < 0 then s[n - 1] else 0)
}

method SplitSums(s: seq<int>) returns (up: int, down: int)
  ensures up == SumOfPositive(s, |s|) && up >= 0
  ensures down == SumOfNegative(s, |s|) && down <= 0
{
  up, down := 0, 0;
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant up == SumOfPositive(s, i) && up >= 0
    invariant down == SumOfNegative(s, i) && down <= 0
  {
    if s[i] > 0 {
      up := up + s[i];
    } else {
      down := down + s[i];
    }
    i := i + 1;
  }
}
