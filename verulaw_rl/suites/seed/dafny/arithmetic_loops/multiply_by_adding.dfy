// difficulty: 1
// Product by repeated addition.
method Multiply(x: int, y: nat) returns (p: int)
  ensures p == x * y
{
  p := 0;
  var left := y;
  while left > 0
    invariant 0 <= left <= y
    invariant p == x * (y - left)
  {
    p := p + x;
    left := left - 1;
  }
}
