// difficulty: 2
// Sum of every row of a matrix.
function RowSum(m: array2<int>, r: nat, n: nat): int
  requires r < m.Length0 && n <= m.Length1
  reads m
{
  if n == 0 then 0 else RowSum(m, r, n - 1) + m[r, n - 1]
}

method RowSums(m: array2<int>) returns (s: array<int>)
  ensures s.Length == m.Length0
  ensures forall i :: 0 <= i < m.Length0 ==> s[i] == RowSum(m, i, m.Length1)
{
  s := new int[m.Length0];
  var r := 0;
  while r < m.Length0
    invariant 0 <= r <= m.Length0
    invariant forall i :: 0 <= i < r ==> s[i] == RowSum(m, i, m.Length1)
  {
    var sum, c := 0, 0;
    while c < m.Length1
      invariant 0 <= c <= m.Length1
      invariant sum == RowSum(m, r, c)
    {
      sum := sum + m[r, c];
      c := c + 1;
    }
    s[r] := sum;
    r := r + 1;
  }
}
