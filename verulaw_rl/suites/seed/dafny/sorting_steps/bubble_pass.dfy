// difficulty: 2
// One pass of bubble sort carries a largest element to the end.
method BubblePass(a: array<int>)
  requires a.Length > 0
  modifies a
  ensures forall k :: 0 <= k < a.Length ==> a[k] <= a[a.Length - 1]
  ensures multiset(a[..]) == multiset(old(a[..]))
{
  var i := 0;
  while i + 1 < a.Length
    invariant 0 <= i < a.Length
    invariant forall k :: 0 <= k < i ==> a[k] <= a[i]
    invariant multiset(a[..]) == multiset(old(a[..]))
  {
    if a[i] > a[i + 1] {
      a[i], a[i + 1] := a[i + 1], a[i];
    }
    i := i + 1;
  }
}
