// difficulty: 1
// Every occurrence of one character replaced by another.
method Replace(s: string, from: char, into: char) returns (t: string)
  ensures |t| == |s|
  ensures forall k :: 0 <= k < |s| ==> t[k] == (if s[k] == from then into else s[k])
{
  t := "";
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant |t| == i
    invariant forall k :: 0 <= k < i ==> t[k] == (if s[k] == from then into else s[k])
  {
    if s[i] == from {
      t := t + [into];
    } else {
      t := t + [s[i]];
    }
    i := i + 1;
  }
}
