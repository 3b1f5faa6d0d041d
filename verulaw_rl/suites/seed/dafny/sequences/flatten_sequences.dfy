// difficulty: 2
// Concatenation of a sequence of sequences.
function Flatten(s: seq<seq<int>>): seq<int>
{
  if |s| == 0 then [] else Flatten(s[..|s| - 1]) + s[|s| - 1]
}

method Concatenate(s: seq<seq<int>>) returns (r: seq<int>)
  ensures r == Flatten(s)
{
  r := [];
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant r == Flatten(s[..i])
  {
    assert s[..i + 1][..i] == s[..i];
    r := r + s[i];
    i := i + 1;
  }
  assert s[..i] == s;
}
