// difficulty: 2
// The sum of the first squares, by a loop, and its closed form, by a lemma.
function SumOfSquares(n: nat): nat
{
  if n == 0 then 0 else n * n + SumOfSquares(n - 1)
}

lemma ClosedForm(n: nat)
  ensures 6 * SumOfSquares(n) == n * (n + 1) * (2 * n + 1)
{
  if n > 0 {
    ClosedForm(n - 1);
    assert 6 * SumOfSquares(n - 1) == (n - 1) * n * (2 * n - 1);
  }
}

method AddSquares(n: nat) returns (s: nat)
  ensures 6 * s == n * (n + 1) * (2 * n + 1)
{
  s := 0;
  var i := 0;
  while i < n
    invariant 0 <= i <= n
    invariant s == SumOfSquares(i)
  {
    i := i + 1;
    s := s + i * i;
  }
  ClosedForm(n);
}
