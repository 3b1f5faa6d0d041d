// difficulty: 3
// Partition: small elements before large ones, and where the border lies.
method Partition(a: array<int>, pivot: int) returns (border: nat)
  modifies a
  ensures border <= a.Length
  ensures forall k :: 0 <= k < border ==> a[k] < pivot
  ensures forall k :: border <= k < a.Length ==> pivot <= a[k]
  ensures multiset(a[..]) == multiset(old(a[..]))
{
  border := 0;
  var i := 0;
  while i < a.Length
    invariant 0 <= border <= i <= a.Length
    invariant forall k :: 0 <= k < border ==> a[k] < pivot
    invariant forall k :: border <= k < i ==> pivot <= a[k]
    invariant multiset(a[..]) == multiset(old(a[..]))
  {
    if a[i] < pivot {
      a[i], a[border] := a[border], a[i];
      border := border + 1;
    }
    i := i + 1;
  }
}
