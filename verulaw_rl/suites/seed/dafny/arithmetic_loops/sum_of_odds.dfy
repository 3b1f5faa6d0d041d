// difficulty: 1
// Squares as sums of odd numbers.
method SquareByOdds(n: nat) returns (square: nat)
  ensures square == n * n
{
  square := 0;
  var odd := 1;
  var i := 0;
  while i != n
    invariant 0 <= i <= n
    invariant odd == 2 * i + 1
    invariant square == i * i
  {
    square := square + odd;
    odd := odd + 2;
    i := i + 1;
  }
}
