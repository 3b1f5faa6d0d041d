// difficulty: 3
// The two largest elements by position.
method TwoLargest(a: array<int>) returns (first: nat, second: nat)
  requires a.Length >= 2
  ensures first < a.Length && second < a.Length && first != second
  ensures a[second] <= a[first]
  ensures forall k :: 0 <= k < a.Length && k != first ==> a[k] <= a[second]
{
  if a[0] >= a[1] {
    first, second := 0, 1;
  } else {
    first, second := 1, 0;
  }
  var i := 2;
  while i < a.Length
    invariant 2 <= i <= a.Length
    invariant first < i && second < i && first != second
    invariant a[second] <= a[first]
    invariant forall k :: 0 <= k < i && k != first ==> a[k] <= a[second]
  {
    if a[i] > a[first] {
      first, second := i, first;
    } else if a[i] > a[second] {
      second := i;
    }
    i := i + 1;
  }
}
