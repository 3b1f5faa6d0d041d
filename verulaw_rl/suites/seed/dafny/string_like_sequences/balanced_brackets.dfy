// difficulty: 3
// Depth of brackets never below zero and zero at the end.
function Depth(s: string, n: nat): int
  requires n <= |s|
{
  if n == 0 then 0
  else if s[n - 1] == '(' then Depth(s, n - 1) + 1
  else if s[n - 1] == ')' then Depth(s, n - 1) - 1
  else Depth(s, n - 1)
}

method Balanced(s: string) returns (yes: bool)
  ensures yes ==> Depth(s, |s|) == 0 && forall k :: 0 <= k <= |s| ==> Depth(s, k) >= 0
  ensures !yes ==> Depth(s, |s|) != 0 || exists k :: 0 <= k <= |s| && Depth(s, k) < 0
{
  var depth := 0;
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant depth == Depth(s, i)
    invariant forall k :: 0 <= k <= i ==> Depth(s, k) >= 0
  {
    if s[i] == '(' {
      depth := depth + 1;
    } else if s[i] == ')' {
      depth := depth - 1;
    }
    i := i + 1;
    if depth < 0 {
      assert Depth(s, i) < 0;
      return false;
    }
  }
  return depth == 0;
}
