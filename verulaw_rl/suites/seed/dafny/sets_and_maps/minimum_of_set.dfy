// difficulty: 3
// Smallest element of a non-empty set, by taking elements out.
method MinimumOfSet(s: set<int>) returns (m: int)
  requires s != {}
  ensures m in s
  ensures forall v :: v in s ==> m <= v
{
  m :| m in s;
  var rest := s - {m};
  while rest != {}
    invariant rest <= s
    invariant m in s
    invariant forall v :: v in s ==> v in rest || m <= v
    decreases |rest|
  {
    var x :| x in rest;
    if x < m {
      m := x;
    }
    rest := rest - {x};
  }
}
