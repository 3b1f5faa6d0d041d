"""Programs that several tests use."""

COUNT_UP = """method CountUp(n: nat) returns (i: nat)
  ensures i == n
{
  i := 0;
  while i < n
    invariant i <= n
  {
    i := i + 1;
  }
}
"""
