// difficulty: 2
// Are all elements different? A set of those seen decides.
method AllDifferent(s: seq<int>) returns (yes: bool)
  ensures yes <==> forall i, j :: 0 <= i < j < |s| ==> s[i] != s[j]
{
  var seen: set<int> := {};
  var n := 0;
  while n < |s|
    invariant 0 <= n <= |s|
    invariant forall v :: v in seen <==> v in s[..n]
    invariant forall i, j :: 0 <= i < j < n ==> s[i] != s[j]
  {
    if s[n] in seen {
      assert exists i :: 0 <= i < n && s[i] == s[n];
      return false;
    }
    seen := seen + {s[n]};
    n := n + 1;
  }
  return true;
}
