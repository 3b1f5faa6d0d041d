// difficulty: 2
// Multiples of d in an interval: recursion towards an upper bound.
function CountMultiples(low: int, high: int, d: nat): nat
  requires d > 0 && low <= high
  decreases high - low
{
  if low == high then 0
  else (if low % d == 0 then 1 else 0) + CountMultiples(low + 1, high, d)
}

method Multiples(low: int, high: int, d: nat) returns (c: nat)
  requires d > 0 && low <= high
  ensures c == CountMultiples(low, high, d)
{
  c := 0;
  var i := high;
  while i > low
    invariant low <= i <= high
    invariant c == CountMultiples(i, high, d)
  {
    i := i - 1;
    if i % d == 0 {
      c := c + 1;
    }
  }
}
