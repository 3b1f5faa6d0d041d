// difficulty: 3
// A sign change between two ends of opposite sign, by bisection.
method SignChange(f: seq<int>) returns (p: nat)
  requires |f| >= 2
  requires f[0] < 0 <= f[|f| - 1]
  ensures p + 1 < |f|
  ensures f[p] < 0 <= f[p + 1]
{
  var hi := |f| - 1;
  p := 0;
  while p + 1 < hi
    invariant 0 <= p < hi < |f|
    invariant f[p] < 0 <= f[hi]
    decreases hi - p
  {
    var mid := p + (hi - p) / 2;
    if f[mid] < 0 {
      p := mid;
    } else {
      hi := mid;
    }
  }
}
