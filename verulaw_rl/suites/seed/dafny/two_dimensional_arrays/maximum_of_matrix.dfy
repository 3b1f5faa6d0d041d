// difficulty: 2
// Largest element of a non-empty matrix.
method MatrixMaximum(m: array2<int>) returns (max: int)
  requires m.Length0 > 0 && m.Length1 > 0
  ensures exists i, j :: 0 <= i < m.Length0 && 0 <= j < m.Length1 && m[i, j] == max
  ensures forall i, j :: 0 <= i < m.Length0 && 0 <= j < m.Length1 ==> m[i, j] <= max
{
  max := m[0, 0];
  var r := 0;
  while r < m.Length0
    invariant 0 <= r <= m.Length0
    invariant exists i, j :: 0 <= i < m.Length0 && 0 <= j < m.Length1 && m[i, j] == max
    invariant forall i, j :: 0 <= i < r && 0 <= j < m.Length1 ==> m[i, j] <= max
  {
    var c := 0;
    while c < m.Length1
      invariant 0 <= c <= m.Length1
      invariant exists i, j :: 0 <= i < m.Length0 && 0 <= j < m.Length1 && m[i, j] == max
      invariant forall i, j :: 0 <= i < r && 0 <= j < m.Length1 ==> m[i, j] <= max
      invariant forall j :: 0 <= j < c ==> m[r, j] <= max
    {
      if m[r, c] > max {
        max := m[r, c];
      }
      c := c + 1;
    }
    r := r + 1;
  }
}
