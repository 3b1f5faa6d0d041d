// difficulty: 2
// Make room for one element at a position of a sequence held in an array.
method InsertAt(a: array<int>, n: nat, p: nat, v: int)
  requires p <= n < a.Length
  modifies a
  ensures a[..n + 1] == old(a[..p]) + [v] + old(a[p..n])
{
  var i := n;
  while i > p
    invariant p <= i <= n
    invariant a[..i] == old(a[..i])
    invariant forall k :: i < k <= n ==> a[k] == old(a[k - 1])
  {
    a[i] := a[i - 1];
    i := i - 1;
  }
  a[p] := v;
}
