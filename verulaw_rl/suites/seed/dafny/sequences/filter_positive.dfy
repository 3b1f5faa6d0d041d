// difficulty: 2
// The positive elements, in order, against a recursive filter.
function Positive(s: seq<int>): seq<int>
{
  if |s| == 0 then []
  else if s[|s| - 1] > 0 then Positive(s[..|s| - 1]) + [s[|s| - 1]]
  else Positive(s[..|s| - 1])
}

method KeepPositive(s: seq<int>) returns (r: seq<int>)
  ensures r == Positive(s)
  ensures forall k :: 0 <= k < |r| ==> r[k] > 0
{
  r := [];
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant r == Positive(s[..i])
    invariant forall k :: 0 <= k < |r| ==> r[k] > 0
  {
    assert s[..i + 1][..i] == s[..i];
    if s[i] > 0 {
      r := r + [s[i]];
    }
    i := i + 1;
  }
  assert s[..i] == s;
}
