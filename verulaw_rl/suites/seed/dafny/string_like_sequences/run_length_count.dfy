// difficulty: 2
// Number of maximal runs of equal characters.
function Runs(s: string, n: nat): nat
  requires n <= |s|
{
  if n == 0 then 0
  else if n == 1 then 1
  else Runs(s, n - 1) + (if s[n - 1] == s[n - 2] then 0 else 1)
}

method CountRuns(s: string) returns (r: nat)
  ensures r == Runs(s, |s|)
  ensures r <= |s|
{
  if s == "" {
    return 0;
  }
  r := 1;
  var last := s[0];
  var i := 1;
  while i < |s|
    invariant 1 <= i <= |s|
    invariant last == s[i - 1]
    invariant r == Runs(s, i)
    invariant r <= i
  {
    if s[i] != last {
      r := r + 1;
    }
    last := s[i];
    i := i + 1;
  }
}
