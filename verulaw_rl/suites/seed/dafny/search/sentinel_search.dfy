// difficulty: 2
// Search without a bounds test: the key is known to be there.
method FindPresent(a: array<int>, key: int) returns (i: nat)
  requires exists k :: 0 <= k < a.Length && a[k] == key
  ensures i < a.Length && a[i] == key
  ensures forall k :: 0 <= k < i ==> a[k] != key
{
  i := 0;
  while a[i] != key
    invariant 0 <= i < a.Length
    invariant forall k :: 0 <= k < i ==> a[k] != key
    invariant exists k :: i <= k < a.Length && a[k] == key
    decreases a.Length - i
  {
    i := i + 1;
  }
}
