// difficulty: 1
// Counting the traffic lights of each state.
datatype Light = Stop | Wait | Go

function Count(s: seq<Light>, c: Light, n: nat): nat
  requires n <= |s|
{
  if n == 0 then 0 else Count(s, c, n - 1) + (if s[n - 1] == c then 1 else 0)
}

method Tally(s: seq<Light>) returns (stop: nat, go: nat, other: nat)
  ensures stop == Count(s, Stop, |s|)
  ensures go == Count(s, Go, |s|)
  ensures stop + go + other == |s|
{
  stop, go, other := 0, 0, 0;
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant stop == Count(s, Stop, i)
    invariant go == Count(s, Go, i)
    invariant stop + go + other == i
  {
    match s[i] {
      case Stop => stop := stop + 1;
      case Go => go := go + 1;
      case Wait => other := other + 1;
    }
    i := i + 1;
  }
}
