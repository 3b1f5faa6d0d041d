// difficulty: 3
// The sum of elements within bounds lies within n times the bounds.
function SumFirst(a: array<int>, n: nat): int
  requires n <= a.Length
  reads a
{
  if n == 0 then 0 else SumFirst(a, n - 1) + a[n - 1]
}

method BoundedSum(a: array<int>, low: int, high: int) returns (sum: int)
  requires forall k :: 0 <= k < a.Length ==> low <= a[k] <= high
  ensures sum == SumFirst(a, a.Length)
  ensures a.Length * low <= sum <= a.Length * high
{
  sum := 0;
  var i := 0;
  while i < a.Length
    invariant 0 <= i <= a.Length
    invariant sum == SumFirst(a, i)
    invariant i * low <= sum <= i * high
  {
    sum := sum + a[i];
    i := i + 1;
    assert i * low == (i - 1) * low + low;
    assert i * high == (i - 1) * high + high;
  }
}
