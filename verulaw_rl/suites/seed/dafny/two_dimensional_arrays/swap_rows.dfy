// difficulty: 2
// Exchange of two rows in place.
method SwapRows(m: array2<int>, p: nat, q: nat)
  requires p < m.Length0 && q < m.Length0 && p != q
  modifies m
  ensures forall j :: 0 <= j < m.Length1 ==> m[p, j] == old(m[q, j]) && m[q, j] == old(m[p, j])
  ensures forall i, j :: 0 <= i < m.Length0 && i != p && i != q && 0 <= j < m.Length1 ==> m[i, j] == old(m[i, j])
{
  var c := 0;
  while c < m.Length1
    invariant 0 <= c <= m.Length1
    invariant forall j :: 0 <= j < c ==> m[p, j] == old(m[q, j]) && m[q, j] == old(m[p, j])
    invariant forall i, j :: 0 <= i < m.Length0 && c <= j < m.Length1 ==> m[i, j] == old(m[i, j])
    invariant forall i, j :: 0 <= i < m.Length0 && i != p && i != q && 0 <= j < c ==> m[i, j] == old(m[i, j])
  {
    m[p, c], m[q, c] := m[q, c], m[p, c];
    c := c + 1;
  }
}
