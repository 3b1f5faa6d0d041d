// difficulty: 1
// The set of the elements of a sequence.
method Elements(s: seq<int>) returns (e: set<int>)
  ensures forall v :: v in e <==> v in s
{
  e := {};
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant forall v :: v in e <==> v in s[..i]
  {
    e := e + {s[i]};
    i := i + 1;
  }
}
