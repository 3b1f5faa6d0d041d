// difficulty: 1
// Is a value in a matrix, and where?
method FindInMatrix(m: array2<int>, v: int) returns (found: bool, r: nat, c: nat)
  ensures found ==> r < m.Length0 && c < m.Length1 && m[r, c] == v
  ensures !found ==> forall i, j :: 0 <= i < m.Length0 && 0 <= j < m.Length1 ==> m[i, j] != v
{
  found, r, c := false, 0, 0;
  while r < m.Length0
    invariant 0 <= r <= m.Length0
    invariant forall i, j :: 0 <= i < r && 0 <= j < m.Length1 ==> m[i, j] != v
  {
    c := 0;
    while c < m.Length1
      invariant 0 <= c <= m.Length1
      invariant forall j :: 0 <= j < c ==> m[r, j] != v
    {
      if m[r, c] == v {
        return true, r, c;
      }
      c := c + 1;
    }
    r := r + 1;
  }
}
