// difficulty: 2
// Smallest and largest element in one pass, and their distance.
method Spread(a: array<int>) returns (low: int, high: int, spread: nat)
  requires a.Length > 0
  ensures forall k :: 0 <= k < a.Length ==> low <= a[k] <= high
  ensures low in a[..] && high in a[..]
  ensures spread == high - low
{
  low, high := a[0], a[0];
  var i := 1;
  while i < a.Length
    invariant 1 <= i <= a.Length
    invariant forall k :: 0 <= k < i ==> low <= a[k] <= high
    invariant low in a[..i] && high in a[..i]
    invariant low <= high
  {
    if a[i] < low {
      low := a[i];
    } else if a[i] > high {
      high := a[i];
    }
    i := i + 1;
  }
  spread := high - low;
}
