// difficulty: 2
// Value of a string of decimal digits.
predicate IsDigits(s: string)
{
  forall k :: 0 <= k < |s| ==> '0' <= s[k] <= '9'
}

function ValueOf(s: string): int
{
  if |s| == 0 then 0
  else 10 * ValueOf(s[..|s| - 1]) + (s[|s| - 1] as int - '0' as int)
}

method Parse(s: string) returns (n: int)
  requires IsDigits(s)
  ensures n == ValueOf(s) && n >= 0
{
  n := 0;
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant n == ValueOf(s[..i])
    invariant n >= 0
  {
    assert s[..i + 1][..i] == s[..i];
    n := 10 * n + (s[i] as int - '0' as int);
    i := i + 1;
  }
  assert s[..i] == s;
}
