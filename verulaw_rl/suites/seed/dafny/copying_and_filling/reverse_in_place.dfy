// difficulty: 3
// Reversal by swapping from both ends.
method ReverseInPlace(a: array<int>)
  modifies a
  ensures forall k :: 0 <= k < a.Length ==> a[k] == old(a[a.Length - 1 - k])
{
  var i, j := 0, a.Length;
  while i + 1 < j
    invariant 0 <= i <= j <= a.Length
    invariant i + j == a.Length
    invariant forall k :: 0 <= k < i || j <= k < a.Length ==> a[k] == old(a[a.Length - 1 - k])
    invariant forall k :: i <= k < j ==> a[k] == old(a[k])
    decreases j - i
  {
    j := j - 1;
    a[i], a[j] := a[j], a[i];
    i := i + 1;
  }
}
