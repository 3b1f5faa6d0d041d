function Sum(n: nat): nat
{
  if n == 0 then 0 else n + Sum(n - 1)
}

method SumUp(n: nat) returns (s: nat)
  ensures s == Sum(n)
{
  s := 0;
  var i := 0;
  while i < n
  {
    i := i + 1;
    s := s + i;
  }
  assume s == Sum(n);
}
