// difficulty: 3
// Selection sort: the smallest of the rest goes to its place.
method SelectionSort(a: array<int>)
  modifies a
  ensures forall i, j :: 0 <= i < j < a.Length ==> a[i] <= a[j]
  ensures multiset(a[..]) == multiset(old(a[..]))
{
  var n := 0;
  while n < a.Length
    invariant 0 <= n <= a.Length
    invariant forall i, j :: 0 <= i < j < n ==> a[i] <= a[j]
    invariant forall i, j :: 0 <= i < n <= j < a.Length ==> a[i] <= a[j]
    invariant multiset(a[..]) == multiset(old(a[..]))
  {
    var low := n;
    var k := n + 1;
    while k < a.Length
      invariant n < k <= a.Length
      invariant n <= low < a.Length
      invariant forall i :: n <= i < k ==> a[low] <= a[i]
    {
      if a[k] < a[low] {
        low := k;
      }
      k := k + 1;
    }
    a[n], a[low] := a[low], a[n];
    n := n + 1;
  }
}
