// difficulty: 2
// Does a string read the same backwards?
method IsPalindrome(s: string) returns (yes: bool)
  ensures yes <==> forall k :: 0 <= k < |s| ==> s[k] == s[|s| - 1 - k]
{
  var i, j := 0, |s|;
  while i < j
    invariant 0 <= i && j <= |s| && i <= j + 1
    invariant i + j == |s|
    invariant forall k :: 0 <= k < i ==> s[k] == s[|s| - 1 - k]
    decreases j - i
  {
    j := j - 1;
    if s[i] != s[j] {
      return false;
    }
    i := i + 1;
  }
  assert forall k :: i <= k < |s| ==> 0 <= |s| - 1 - k < i;
  return true;
}
