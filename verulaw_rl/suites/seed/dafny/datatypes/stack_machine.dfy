// difficulty: 3
// Compiling expressions to a stack machine keeps their value.
datatype Expr = Lit(n: int) | Add(l: Expr, r: Expr)
datatype Op = Push(n: int) | Plus

function Eval(e: Expr): int
{
  match e
  case Lit(n) => n
  case Add(l, r) => Eval(l) + Eval(r)
}

function Compile(e: Expr): seq<Op>
{
  match e
  case Lit(n) => [Push(n)]
  case Add(l, r) => Compile(l) + Compile(r) + [Plus]
}

function Exec(code: seq<Op>, stack: seq<int>): seq<int>
{
  if code == [] then stack
  else match code[0]
    case Push(n) => Exec(code[1..], [n] + stack)
    case Plus => if |stack| < 2 then [] else Exec(code[1..], [stack[1] + stack[0]] + stack[2..])
}

lemma CompileIsCorrect(e: Expr, rest: seq<Op>, stack: seq<int>)
  ensures Exec(Compile(e) + rest, stack) == Exec(rest, [Eval(e)] + stack)
{
  match e
  case Lit(n) =>
    assert (Compile(e) + rest)[1..] == rest;
  case Add(l, r) =>
    assert Compile(e) + rest == Compile(l) + (Compile(r) + ([Plus] + rest));
    CompileIsCorrect(l, Compile(r) + ([Plus] + rest), stack);
    CompileIsCorrect(r, [Plus] + rest, [Eval(l)] + stack);
    assert ([Eval(r)] + ([Eval(l)] + stack))[2..] == stack;
    assert ([Plus] + rest)[1..] == rest;
}
