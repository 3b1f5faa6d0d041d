// difficulty: 2
// The identity matrix of size n.
method Identity(n: nat) returns (m: array2<int>)
  ensures m.Length0 == n && m.Length1 == n
  ensures forall i, j :: 0 <= i < n && 0 <= j < n ==> m[i, j] == (if i == j then 1 else 0)
{
  m := new int[n, n];
  var r := 0;
  while r < n
    invariant 0 <= r <= n
    invariant forall i, j :: 0 <= i < r && 0 <= j < n ==> m[i, j] == (if i == j then 1 else 0)
  {
    var c := 0;
    while c < n
      invariant 0 <= c <= n
      invariant forall i, j :: 0 <= i < r && 0 <= j < n ==> m[i, j] == (if i == j then 1 else 0)
      invariant forall j :: 0 <= j < c ==> m[r, j] == (if r == j then 1 else 0)
    {
      m[r, c] := 0;
      if r == c {
        m[r, c] := 1;
      }
      c := c + 1;
    }
    r := r + 1;
  }
}
