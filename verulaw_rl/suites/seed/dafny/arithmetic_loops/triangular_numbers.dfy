// difficulty: 1
// Sum of the numbers from 1 to n.
method Triangular(n: nat) returns (t: nat)
  ensures t == n * (n + 1) / 2
{
  t := 0;
  var i := 0;
  while i < n
    invariant 0 <= i <= n
    invariant t == i * (i + 1) / 2
  {
    i := i + 1;
    t := t + i;
  }
}
