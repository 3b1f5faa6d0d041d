// difficulty: 3
// Two sequences of one length, element by element.
method Interleave(s: seq<int>, t: seq<int>) returns (r: array<int>)
  requires |s| == |t|
  ensures r.Length == 2 * |s|
  ensures forall k :: 0 <= k < |s| ==> r[2 * k] == s[k] && r[2 * k + 1] == t[k]
{
  r := new int[2 * |s|];
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant r.Length == 2 * |s|
    invariant forall k :: 0 <= k < i ==> r[2 * k] == s[k] && r[2 * k + 1] == t[k]
  {
    r[2 * i] := s[i];
    r[2 * i + 1] := t[i];
    i := i + 1;
  }
}
