// difficulty: 1
// How often a character occurs in a string.
function Occurs(s: string, c: char): nat
{
  if |s| == 0 then 0 else (if s[0] == c then 1 else 0) + Occurs(s[1..], c)
}

method CountCharacter(s: string, c: char) returns (n: nat)
  ensures n == Occurs(s, c)
{
  n := 0;
  var i := |s|;
  while i > 0
    invariant 0 <= i <= |s|
    invariant n == Occurs(s[i..], c)
  {
    i := i - 1;
    assert s[i..][1..] == s[i + 1..];
    if s[i] == c {
      n := n + 1;
    }
  }
  assert s[0..] == s;
}
