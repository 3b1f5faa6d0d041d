// difficulty: 2
// Powers of two grow and exceed their exponent.
function TwoTo(n: nat): nat
{
  if n == 0 then 1 else 2 * TwoTo(n - 1)
}

lemma GrowsFast(n: nat)
  ensures TwoTo(n) > n
{
  if n > 0 {
    GrowsFast(n - 1);
  }
}

method FirstPowerAbove(limit: nat) returns (e: nat, p: nat)
  ensures p == TwoTo(e) && p > limit
  ensures e == 0 || TwoTo(e - 1) <= limit
{
  e, p := 0, 1;
  while p <= limit
    invariant p == TwoTo(e)
    invariant e == 0 || TwoTo(e - 1) <= limit
    decreases limit + 1 - e
  {
    GrowsFast(e);
    e, p := e + 1, 2 * p;
  }
}
