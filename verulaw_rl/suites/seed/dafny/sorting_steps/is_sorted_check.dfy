// difficulty: 1
// Deciding whether an array is ascending by comparing neighbours.
method IsSorted(a: array<int>) returns (sorted: bool)
  ensures sorted <==> forall i, j :: 0 <= i < j < a.Length ==> a[i] <= a[j]
{
  var i := 1;
  while i < a.Length
    invariant a.Length == 0 || 1 <= i <= a.Length
    invariant forall p, q :: 0 <= p < q < i && q < a.Length ==> a[p] <= a[q]
  {
    if a[i - 1] > a[i] {
      return false;
    }
    i := i + 1;
  }
  return true;
}
