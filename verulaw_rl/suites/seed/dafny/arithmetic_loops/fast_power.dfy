// difficulty: 3
// Power by squaring.
function Exp(b: int, e: nat): int
{
  if e == 0 then 1 else b * Exp(b, e - 1)
}

lemma SquareBase(b: int, h: nat)
  ensures Exp(b * b, h) == Exp(b, 2 * h)
{
  if h > 0 {
    calc {
      Exp(b * b, h);
      (b * b) * Exp(b * b, h - 1);
      { SquareBase(b, h - 1); }
      (b * b) * Exp(b, 2 * h - 2);
      b * (b * Exp(b, 2 * h - 2));
      b * Exp(b, 2 * h - 1);
      Exp(b, 2 * h);
    }
  }
}

method FastPower(b: int, e: nat) returns (p: int)
  ensures p == Exp(b, e)
{
  p := 1;
  var x, n := b, e;
  while n > 0
    invariant p * Exp(x, n) == Exp(b, e)
    decreases n
  {
    if n % 2 == 1 {
      assert p * Exp(x, n) == p * x * Exp(x, n - 1);
      p := p * x;
      n := n - 1;
    } else {
      SquareBase(x, n / 2);
      x, n := x * x, n / 2;
    }
  }
}
