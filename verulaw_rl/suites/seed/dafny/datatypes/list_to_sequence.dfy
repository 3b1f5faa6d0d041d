// difficulty: 2
// A list built from a sequence holds the same elements in the same order.
datatype List = Empty | Link(value: int, rest: List)

function Elements(l: List): seq<int>
{
  match l
  case Empty => []
  case Link(v, r) => [v] + Elements(r)
}

method FromSequence(s: seq<int>) returns (l: List)
  ensures Elements(l) == s
{
  l := Empty;
  var i := |s|;
  while i > 0
    invariant 0 <= i <= |s|
    invariant Elements(l) == s[i..]
  {
    i := i - 1;
    l := Link(s[i], l);
  }
}
