// difficulty: 1
// Largest element of a non-empty array.
method Maximum(a: array<int>) returns (max: int)
  requires a.Length > 0
  ensures exists k :: 0 <= k < a.Length && a[k] == max
  ensures forall k :: 0 <= k < a.Length ==> a[k] <= max
{
  max := a[0];
  var i := 1;
  while i < a.Length
    invariant 1 <= i <= a.Length
    invariant exists k :: 0 <= k < i && a[k] == max
    invariant forall k :: 0 <= k < i ==> a[k] <= max
  {
    if a[i] > max {
      max := a[i];
    }
    i := i + 1;
  }
}
