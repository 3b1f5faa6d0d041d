// difficulty: 2
// The entries of a map whose keys come from a list.
method Restrict(m: map<int, int>, keys: seq<int>) returns (r: map<int, int>)
  ensures forall k :: k in r <==> k in m && k in keys
  ensures forall k :: k in r ==> r[k] == m[k]
{
  r := map[];
  var i := 0;
  while i < |keys|
    invariant 0 <= i <= |keys|
    invariant forall k :: k in r <==> k in m && k in keys[..i]
    invariant forall k :: k in r ==> r[k] == m[k]
  {
    if keys[i] in m {
      r := r[keys[i] := m[keys[i]]];
    }
    i := i + 1;
  }
}
