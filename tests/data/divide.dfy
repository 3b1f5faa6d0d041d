// difficulty: 1
// Quotient and remainder by repeated subtraction.
method DivMod(n: nat, d: nat) returns (q: nat, r: nat)
  requires d > 0
  ensures n == q * d + r
  ensures r < d
{
  q, r := 0, n;
  while r >= d
    invariant n == q * d + r
    invariant q == 0
  {
    r := r - d;
    q := q + 1;
  }
}
