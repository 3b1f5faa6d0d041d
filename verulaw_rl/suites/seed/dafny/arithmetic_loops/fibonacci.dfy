// difficulty: 2
// Fibonacci numbers with two variables.
function Fib(n: nat): nat
{
  if n < 2 then n else Fib(n - 1) + Fib(n - 2)
}

method Fibonacci(n: nat) returns (f: nat)
  ensures f == Fib(n)
{
  f := 0;
  var next := 1;
  var i := 0;
  while i < n
    invariant 0 <= i <= n
    invariant f == Fib(i) && next == Fib(i + 1)
  {
    f, next := next, f + next;
    i := i + 1;
  }
}
