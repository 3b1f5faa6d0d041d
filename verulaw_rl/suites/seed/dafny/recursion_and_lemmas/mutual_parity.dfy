// difficulty: 2
// Even and odd defined by each other, and what they mean.
predicate IsEven(n: nat)
  decreases n
{
  n == 0 || IsOdd(n - 1)
}

predicate IsOdd(n: nat)
  decreases n
{
  n != 0 && IsEven(n - 1)
}

lemma ParityMeaning(n: nat)
  ensures IsEven(n) <==> n % 2 == 0
  ensures IsOdd(n) <==> n % 2 == 1
{
  if n > 0 {
    ParityMeaning(n - 1);
  }
}

method Parity(n: nat) returns (even: bool)
  ensures even <==> IsEven(n)
{
  even := true;
  var i := 0;
  while i < n
    invariant 0 <= i <= n
    invariant even <==> IsEven(i)
    invariant !even <==> IsOdd(i)
  {
    even := !even;
    i := i + 1;
  }
}
