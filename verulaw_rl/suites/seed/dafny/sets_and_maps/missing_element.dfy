// difficulty: 3
// A larger set has an element that a smaller one lacks; a search finds it.
lemma SubsetSize(a: set<int>, b: set<int>)
  requires a <= b
  ensures |a| <= |b|
  decreases a
{
  if a != {} {
    var x :| x in a;
    SubsetSize(a - {x}, b - {x});
  }
}

method PickMissing(a: set<int>, b: set<int>) returns (x: int)
  requires |a| < |b|
  ensures x in b && x !in a
{
  SubsetSize(a * b, a);
  var rest := b;
  x :| x in rest;
  while x in a
    invariant rest <= b
    invariant x in rest
    invariant |a * rest| < |rest|
    decreases |rest|
  {
    assert x in a * rest;
    assert a * (rest - {x}) == a * rest - {x};
    rest := rest - {x};
    assert |a * rest| >= 0;
    assert |rest| > 0;
    assert rest != {};
    x :| x in rest;
  }
}
