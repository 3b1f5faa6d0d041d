// difficulty: 3
// The elements of a set listed once each.
method ListSet(s: set<int>) returns (r: seq<int>)
  ensures |r| == |s|
  ensures forall v :: v in s <==> v in r
{
  r := [];
  var rest := s;
  while rest != {}
    invariant rest <= s
    invariant |r| + |rest| == |s|
    invariant forall v :: v in s <==> v in r || v in rest
    decreases |rest|
  {
    var x :| x in rest;
    r := r + [x];
    rest := rest - {x};
  }
}
