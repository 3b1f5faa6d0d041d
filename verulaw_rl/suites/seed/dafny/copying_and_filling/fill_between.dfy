// difficulty: 2
// Overwrite a stretch of an array and nothing else.
method FillBetween(a: array<int>, low: nat, high: nat, v: int)
  requires low <= high <= a.Length
  modifies a
  ensures forall k :: low <= k < high ==> a[k] == v
  ensures forall k :: 0 <= k < low || high <= k < a.Length ==> a[k] == old(a[k])
{
  var i := low;
  while i < high
    invariant low <= i <= high
    invariant forall k :: low <= k < i ==> a[k] == v
    invariant forall k :: 0 <= k < low || i <= k < a.Length ==> a[k] == old(a[k])
  {
    a[i] := v;
    i := i + 1;
  }
}
