// difficulty: 2
// A little machine: running a list of commands on a counter.
datatype Command = Inc | Dec | Reset

function Step(c: Command, x: int): int
{
  match c
  case Inc => x + 1
  case Dec => x - 1
  case Reset => 0
}

function Run(p: seq<Command>, n: nat, x: int): int
  requires n <= |p|
{
  if n == 0 then x else Step(p[n - 1], Run(p, n - 1, x))
}

method Execute(p: seq<Command>, start: int) returns (x: int)
  ensures x == Run(p, |p|, start)
{
  x := start;
  var i := 0;
  while i < |p|
    invariant 0 <= i <= |p|
    invariant x == Run(p, i, start)
  {
    match p[i] {
      case Inc => x := x + 1;
      case Dec => x := x - 1;
      case Reset => x := 0;
    }
    i := i + 1;
  }
}
