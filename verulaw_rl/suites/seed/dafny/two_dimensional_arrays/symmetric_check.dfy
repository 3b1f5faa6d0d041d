// difficulty: 2
// Is a square matrix symmetric?
method IsSymmetric(m: array2<int>) returns (yes: bool)
  requires m.Length0 == m.Length1
  ensures yes <==> forall i, j :: 0 <= i < m.Length0 && 0 <= j < m.Length0 ==> m[i, j] == m[j, i]
{
  var r := 0;
  while r < m.Length0
    invariant 0 <= r <= m.Length0
    invariant forall i, j :: 0 <= i < r && 0 <= j < r ==> m[i, j] == m[j, i]
  {
    var c := 0;
    while c < r
      invariant 0 <= c <= r
      invariant forall j :: 0 <= j < c ==> m[r, j] == m[j, r]
    {
      if m[r, c] != m[c, r] {
        return false;
      }
      c := c + 1;
    }
    r := r + 1;
  }
  return true;
}
