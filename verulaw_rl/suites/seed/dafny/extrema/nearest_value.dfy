// difficulty: 2
// Element nearest to a given value.
function Distance(x: int, y: int): nat
{
  if x < y then y - x else x - y
}

method Nearest(s: seq<int>, v: int) returns (best: int)
  requires |s| > 0
  ensures best in s
  ensures forall k :: 0 <= k < |s| ==> Distance(best, v) <= Distance(s[k], v)
{
  best := s[0];
  var gap := if best < v then v - best else best - v;
  var i := 1;
  while i < |s|
    invariant 1 <= i <= |s|
    invariant best in s
    invariant gap == Distance(best, v)
    invariant forall k :: 0 <= k < i ==> gap <= Distance(s[k], v)
  {
    var d := if s[i] < v then v - s[i] else s[i] - v;
    if d < gap {
      best, gap := s[i], d;
    }
    i := i + 1;
  }
}
