// difficulty: 2
// Each result element is the largest of the elements up to its position.
method RunningMaximum(s: seq<int>) returns (m: array<int>)
  ensures m.Length == |s|
  ensures forall j, k :: 0 <= j <= k < |s| ==> s[j] <= m[k]
  ensures forall k :: 0 <= k < |s| ==> m[k] in s[..k + 1]
{
  m := new int[|s|];
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant forall j, k :: 0 <= j <= k < i ==> s[j] <= m[k]
    invariant forall k :: 0 <= k < i ==> m[k] in s[..k + 1]
  {
    if i == 0 || s[i] > m[i - 1] {
      m[i] := s[i];
      assert s[i] == s[..i + 1][i];
    } else {
      assert m[i - 1] in s[..i];
      assert s[..i] == s[..i + 1][..i];
      m[i] := m[i - 1];
    }
    i := i + 1;
  }
}
