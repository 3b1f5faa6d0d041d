// difficulty: 3
// Search in a matrix whose rows and columns ascend, from the top right corner.
method Saddleback(m: array2<int>, key: int) returns (found: bool)
  requires forall i, j, k :: 0 <= i < m.Length0 && 0 <= j < k < m.Length1 ==> m[i, j] <= m[i, k]
  requires forall i, j, k :: 0 <= i < j < m.Length0 && 0 <= k < m.Length1 ==> m[i, k] <= m[j, k]
  ensures found <==> exists i, j :: 0 <= i < m.Length0 && 0 <= j < m.Length1 && m[i, j] == key
{
  var r, c := 0, m.Length1;
  while r < m.Length0 && c > 0
    invariant 0 <= r <= m.Length0
    invariant 0 <= c <= m.Length1
    invariant forall i, j :: 0 <= i < r && 0 <= j < m.Length1 ==> m[i, j] != key
    invariant forall i, j :: 0 <= i < m.Length0 && c <= j < m.Length1 ==> m[i, j] != key
    decreases m.Length0 - r + c
  {
    if m[r, c - 1] == key {
      return true;
    } else if m[r, c - 1] < key {
      r := r + 1;
    } else {
      c := c - 1;
    }
  }
  return false;
}
