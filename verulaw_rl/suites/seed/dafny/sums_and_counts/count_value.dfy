// difficulty: 1
// How often a value occurs in the first n elements.
function Occurrences(a: array<int>, v: int, n: nat): nat
  requires n <= a.Length
  reads a
{
  if n == 0 then 0 else Occurrences(a, v, n - 1) + (if a[n - 1] == v then 1 else 0)
}

method CountValue(a: array<int>, v: int) returns (count: nat)
  ensures count == Occurrences(a, v, a.Length)
{
  count := 0;
  var i := 0;
  while i != a.Length
    invariant 0 <= i <= a.Length
    invariant count == Occurrences(a, v, i)
  {
    if a[i] == v {
      count := count + 1;
    }
    i := i + 1;
  }
}
