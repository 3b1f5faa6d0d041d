// difficulty: 3
// Size of a binary tree with a list of subtrees still to be counted.
datatype Tree = Leaf | Node(left: Tree, right: Tree)

function Size(t: Tree): nat
{
  match t
  case Leaf => 1
  case Node(l, r) => 1 + Size(l) + Size(r)
}

function SizeAll(s: seq<Tree>): nat
{
  if |s| == 0 then 0 else Size(s[|s| - 1]) + SizeAll(s[..|s| - 1])
}

method CountNodes(t: Tree) returns (n: nat)
  ensures n == Size(t)
{
  n := 0;
  var stack := [t];
  while |stack| > 0
    invariant n + SizeAll(stack) == Size(t)
    decreases SizeAll(stack)
  {
    var top := stack[|stack| - 1];
    stack := stack[..|stack| - 1];
    n := n + 1;
    match top {
      case Leaf =>
      case Node(l, r) =>
        assert (stack + [l] + [r])[..|stack| + 1] == stack + [l];
        assert (stack + [l])[..|stack|] == stack;
        assert SizeAll(stack + [l]) == Size(l) + SizeAll(stack);
        assert SizeAll(stack + [l] + [r]) == Size(r) + SizeAll(stack + [l]);
        stack := stack + [l] + [r];
    }
  }
}
