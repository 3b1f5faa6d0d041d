// difficulty: 2
// Longest common prefix of two sequences.
method CommonPrefix(s: seq<int>, t: seq<int>) returns (p: seq<int>)
  ensures p <= s && p <= t
  ensures |p| == |s| || |p| == |t| || s[|p|] != t[|p|]
{
  var i := 0;
  while i < |s| && i < |t| && s[i] == t[i]
    invariant 0 <= i <= |s| && i <= |t|
    invariant forall k :: 0 <= k < i ==> s[k] == t[k]
  {
    i := i + 1;
  }
  p := s[..i];
}
