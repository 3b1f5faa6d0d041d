// difficulty: 2
// Every element is brought into an interval, in place.
method ClampAll(a: array<int>, low: int, high: int)
  requires low <= high
  modifies a
  ensures forall k :: 0 <= k < a.Length ==> low <= a[k] <= high
  ensures forall k :: 0 <= k < a.Length && low <= old(a[k]) <= high ==> a[k] == old(a[k])
{
  var i := 0;
  while i < a.Length
    invariant 0 <= i <= a.Length
    invariant forall k :: 0 <= k < i ==> low <= a[k] <= high
    invariant forall k :: 0 <= k < i && low <= old(a[k]) <= high ==> a[k] == old(a[k])
    invariant forall k :: i <= k < a.Length ==> a[k] == old(a[k])
  {
    if a[i] < low {
      a[i] := low;
    } else if a[i] > high {
      a[i] := high;
    }
    i := i + 1;
  }
}
