// difficulty: 2
// Transposed copy of a matrix.
method Transpose(m: array2<int>) returns (t: array2<int>)
  ensures t.Length0 == m.Length1 && t.Length1 == m.Length0
  ensures forall i, j :: 0 <= i < t.Length0 && 0 <= j < t.Length1 ==> t[i, j] == m[j, i]
{
  t := new int[m.Length1, m.Length0];
  var r := 0;
  while r < t.Length0
    invariant 0 <= r <= t.Length0
    invariant forall i, j :: 0 <= i < r && 0 <= j < t.Length1 ==> t[i, j] == m[j, i]
  {
    var c := 0;
    while c < t.Length1
      invariant 0 <= c <= t.Length1
      invariant forall i, j :: 0 <= i < r && 0 <= j < t.Length1 ==> t[i, j] == m[j, i]
      invariant forall j :: 0 <= j < c ==> t[r, j] == m[j, r]
    {
      t[r, c] := m[c, r];
      c := c + 1;
    }
    r := r + 1;
  }
}
