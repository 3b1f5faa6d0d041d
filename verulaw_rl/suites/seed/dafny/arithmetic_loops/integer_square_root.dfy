// difficulty: 2
// Largest number whose square does not exceed n.
method SquareRoot(n: nat) returns (r: nat)
  ensures r * r <= n < (r + 1) * (r + 1)
{
  r := 0;
  var next := 1;
  while next <= n
    invariant next == (r + 1) * (r + 1)
    invariant r * r <= n
    decreases n + 1 - r
  {
    next := next + 2 * r + 3;
    r := r + 1;
    assert r <= r * r;
  }
}
