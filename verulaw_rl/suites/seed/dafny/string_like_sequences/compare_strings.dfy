// difficulty: 3
// Lexicographic comparison.
predicate Before(s: string, t: string)
  decreases |s|
{
  t != "" && (s == "" || s[0] < t[0] || (s[0] == t[0] && Before(s[1..], t[1..])))
}

method Compare(s: string, t: string) returns (less: bool)
  ensures less <==> Before(s, t)
{
  var i := 0;
  while i < |s| && i < |t| && s[i] == t[i]
    invariant 0 <= i <= |s| && i <= |t|
    invariant Before(s, t) <==> Before(s[i..], t[i..])
  {
    assert s[i..][1..] == s[i + 1..];
    assert t[i..][1..] == t[i + 1..];
    i := i + 1;
  }
  less := i < |t| && (i == |s| || s[i] < t[i]);
}
