// difficulty: 1
// Ackermann's function with its arguments the other way round: termination by a pair.
function Ack(n: nat, m: nat): nat
  decreases m, n
{
  if m == 0 then n + 1
  else if n == 0 then Ack(1, m - 1)
  else Ack(Ack(n - 1, m), m - 1)
}

method Ackermann(n: nat, m: nat) returns (r: nat)
  ensures r == Ack(n, m)
  decreases m, n
{
  if m == 0 {
    r := n + 1;
  } else if n == 0 {
    r := Ackermann(1, m - 1);
  } else {
    var inner := Ackermann(n - 1, m);
    r := Ackermann(inner, m - 1);
  }
}
