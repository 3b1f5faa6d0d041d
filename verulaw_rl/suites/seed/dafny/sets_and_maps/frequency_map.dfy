// difficulty: 3
// How often each value occurs.
method Frequencies(s: seq<int>) returns (m: map<int, nat>)
  ensures forall v :: v in m <==> v in s
  ensures forall v :: v in m ==> m[v] == multiset(s)[v]
{
  m := map[];
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant forall v :: v in m <==> v in s[..i]
    invariant forall v :: v in m ==> m[v] == multiset(s[..i])[v]
  {
    assert s[..i + 1] == s[..i] + [s[i]];
    if s[i] in m {
      m := m[s[i] := m[s[i]] + 1];
    } else {
      assert multiset(s[..i])[s[i]] == 0;
      m := m[s[i] := 1];
    }
    i := i + 1;
  }
  assert s[..i] == s;
}
