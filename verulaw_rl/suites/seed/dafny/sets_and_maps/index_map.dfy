// difficulty: 2
// A map from each value to a position at which it stands.
method Positions(s: seq<int>) returns (m: map<int, int>)
  ensures forall v :: v in m ==> 0 <= m[v] < |s| && s[m[v]] == v
  ensures forall k :: 0 <= k < |s| ==> s[k] in m
{
  m := map[];
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant forall v :: v in m ==> 0 <= m[v] < i && s[m[v]] == v
    invariant forall k :: 0 <= k < i ==> s[k] in m
  {
    m := m[s[i] := i];
    i := i + 1;
  }
}
