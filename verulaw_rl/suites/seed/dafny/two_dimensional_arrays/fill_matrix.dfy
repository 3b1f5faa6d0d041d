// difficulty: 1
// Set every element of a matrix.
method FillMatrix(m: array2<int>, v: int)
  modifies m
  ensures forall i, j :: 0 <= i < m.Length0 && 0 <= j < m.Length1 ==> m[i, j] == v
{
  var r := 0;
  while r < m.Length0
    invariant 0 <= r <= m.Length0
    invariant forall i, j :: 0 <= i < r && 0 <= j < m.Length1 ==> m[i, j] == v
  {
    var c := 0;
    while c < m.Length1
      invariant 0 <= c <= m.Length1
      invariant forall i, j :: 0 <= i < r && 0 <= j < m.Length1 ==> m[i, j] == v
      invariant forall j :: 0 <= j < c ==> m[r, j] == v
    {
      m[r, c] := v;
      c := c + 1;
    }
    r := r + 1;
  }
}
