// difficulty: 1
// A table of squares, filled from the back.
method Squares(n: nat) returns (t: array<int>)
  ensures t.Length == n
  ensures forall k :: 0 <= k < n ==> t[k] == k * k
{
  t := new int[n];
  var i := n;
  while i > 0
    invariant 0 <= i <= n
    invariant forall k :: i <= k < n ==> t[k] == k * k
  {
    i := i - 1;
    t[i] := i * i;
  }
}
