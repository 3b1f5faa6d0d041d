// difficulty: 3
// Insertion sort by swaps.
predicate SortedBetween(a: array<int>, low: int, high: int)
  requires 0 <= low <= high <= a.Length
  reads a
{
  forall i, j :: low <= i < j < high ==> a[i] <= a[j]
}

method InsertionSort(a: array<int>)
  modifies a
  ensures SortedBetween(a, 0, a.Length)
  ensures multiset(a[..]) == multiset(old(a[..]))
{
  var n := 0;
  while n < a.Length
    invariant 0 <= n <= a.Length
    invariant SortedBetween(a, 0, n)
    invariant multiset(a[..]) == multiset(old(a[..]))
  {
    var m := n;
    while m > 0 && a[m - 1] > a[m]
      invariant 0 <= m <= n
      invariant forall i, j :: 0 <= i < j <= n && j != m ==> a[i] <= a[j]
      invariant multiset(a[..]) == multiset(old(a[..]))
    {
      a[m - 1], a[m] := a[m], a[m - 1];
      m := m - 1;
    }
    n := n + 1;
  }
}
