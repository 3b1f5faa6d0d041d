// difficulty: 2
// Sum of an array, from the back, against a suffix sum.
function SuffixSum(a: array<int>, from: nat): int
  requires from <= a.Length
  reads a
  decreases a.Length - from
{
  if from == a.Length then 0 else a[from] + SuffixSum(a, from + 1)
}

method SumBackwards(a: array<int>) returns (sum: int)
  ensures sum == SuffixSum(a, 0)
{
  sum := 0;
  var n := a.Length;
  while n > 0
    invariant 0 <= n <= a.Length
    invariant sum == SuffixSum(a, n)
  {
    n := n - 1;
    sum := sum + a[n];
  }
}
