// difficulty: 2
// Factorial by a tail-recursive helper with an accumulator.
function Factorial(n: nat): nat
{
  if n == 0 then 1 else n * Factorial(n - 1)
}

method Helper(i: nat, n: nat, acc: nat) returns (f: nat)
  requires i <= n
  requires acc == Factorial(i)
  ensures f == Factorial(n)
  decreases n - i
{
  if i == n {
    f := acc;
  } else {
    assert Factorial(i + 1) == (i + 1) * Factorial(i);
    f := Helper(i + 1, n, acc * (i + 1));
  }
}

method ComputeFactorial(n: nat) returns (f: nat)
  ensures f == Factorial(n)
{
  f := Helper(0, n, 1);
}
