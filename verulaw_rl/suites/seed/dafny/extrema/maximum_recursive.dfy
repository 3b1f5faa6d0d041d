// difficulty: 2
// A maximum function and the lemma that it bounds every element.
function MaxOf(s: seq<int>): int
  requires |s| > 0
{
  if |s| == 1 then s[0]
  else if MaxOf(s[1..]) > s[0] then MaxOf(s[1..])
  else s[0]
}

lemma MaxBounds(s: seq<int>, k: nat)
  requires k < |s|
  ensures s[k] <= MaxOf(s)
{
  if k > 0 {
    assert s[k] == s[1..][k - 1];
    MaxBounds(s[1..], k - 1);
  }
}

method FindMax(s: seq<int>) returns (m: int)
  requires |s| > 0
  ensures m == MaxOf(s)
{
  var i := |s| - 1;
  m := s[i];
  while i > 0
    invariant 0 <= i < |s|
    invariant m == MaxOf(s[i..])
  {
    i := i - 1;
    assert s[i..][1..] == s[i + 1..];
    if s[i] >= m {
      m := s[i];
    }
  }
  assert s[0..] == s;
}
