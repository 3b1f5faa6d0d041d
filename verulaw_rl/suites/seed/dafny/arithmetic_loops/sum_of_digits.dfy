// difficulty: 2
// Digit sum of a number, from the last digit.
function DigitSum(n: nat): nat
{
  if n == 0 then 0 else n % 10 + DigitSum(n / 10)
}

method SumDigits(n: nat) returns (s: nat)
  ensures s == DigitSum(n)
{
  s := 0;
  var rest := n;
  while rest != 0
    invariant s + DigitSum(rest) == DigitSum(n)
    decreases rest
  {
    s := s + rest % 10;
    rest := rest / 10;
  }
}
