"""Families on numbers alone: the result is a function of the rounds done, or a quantity stays the same.

Shared proof: ``0 <= i <= n`` and the postcondition with ``i`` for ``n``; or, where two numbers change
together, what the postcondition says of them both before and after a round.
"""

from __future__ import annotations

from verulaw_rl.suites.generate.draw import Draw, branch, loop, side, text


def multiply(draw: Draw) -> str:
    """Product by repeated addition or subtraction, from a start value."""
    bound, given, out = draw.name("bound"), draw.name("number"), draw.name("result")
    operator = draw.option(("+", "-"))
    start = draw.number(0, 9)
    walk = loop(draw, bound)
    counter = side(draw, walk)
    value = f"{out} == {start} {operator} {given} * "
    return text(
        f"{draw.name('method')}({given}: int, {bound}: nat) returns ({', '.join((f'{out}: int', *counter.results))})",
        [f"ensures {value}{bound}", *(f"ensures {e}" for e in counter.ensures)],
        [f"{out} := {start};", *counter.before, walk.start],
        walk.condition,
        [walk.range, value + walk.rounds, *counter.invariants],
        walk.body([f"{out} := {out} {operator} {given};", *counter.step]),
    )


def linear_count(draw: Draw) -> str:
    """A number that grows or shrinks by a constant in each round."""
    bound, out = draw.name("bound"), draw.name("result")
    operator = draw.option(("+", "-"))
    start, factor = draw.number(0, 12), draw.number(2, 12)
    walk = loop(draw, bound)
    counter = side(draw, walk)
    value = f"{out} == {start} {operator} {factor} * "
    return text(
        f"{draw.name('method')}({bound}: nat) returns ({', '.join((f'{out}: int', *counter.results))})",
        [f"ensures {value}{bound}", *(f"ensures {e}" for e in counter.ensures)],
        [f"{out} := {start};", *counter.before, walk.start],
        walk.condition,
        [walk.range, value + walk.rounds, *counter.invariants],
        walk.body([f"{out} := {out} {operator} {factor};", *counter.step]),
    )


def number_sum(draw: Draw) -> str:
    """Sum of a term over the numbers from 1 to n, against a recursive function."""
    bound, out, function = draw.name("bound"), draw.name("result"), draw.name("function")
    form = draw.option(("plain", "scaled", "shifted", "square"))
    start, number = draw.number(0, 9), draw.number(2, 9)
    walk = loop(draw, bound, directions=("up",))
    counter = side(draw, walk)

    def term(value: str) -> str:
        operand = f"({value})" if " " in value else value
        return {
            "plain": operand,
            "scaled": f"{number} * {operand}",
            "shifted": f"({value} + {number})",
            "square": f"{operand} * {operand}",
        }[form]

    recursion = f"{function}(n - 1) + {term('n')}"
    now = walk.index if walk.early else f"{walk.index} + 1"
    return text(
        f"{draw.name('method')}({bound}: nat) returns ({', '.join((f'{out}: int', *counter.results))})",
        [f"ensures {out} == {function}({bound})", *(f"ensures {e}" for e in counter.ensures)],
        [f"{out} := {start};", *counter.before, walk.start],
        walk.condition,
        [walk.range, f"{out} == {function}({walk.index})", *counter.invariants],
        walk.body([f"{out} := {out} + {term(now)};", *counter.step]),
        helper=f"function {function}(n: nat): int\n{{\n  if n == 0 then {start} else {recursion}\n}}\n\n",
    )


def power(draw: Draw) -> str:
    """Power of a given or constant base by repeated multiplication, perhaps with a constant added each time."""
    bound, base, out = draw.name("bound"), draw.name("number"), draw.name("result")
    function = draw.name("function")
    form = draw.option(("given", "constant", "shifted"))
    start, number, shift = draw.number(1, 5), draw.number(2, 9), draw.number(1, 9)
    walk = loop(draw, bound, directions=("up",))
    counter = side(draw, walk)
    formal, actual = (f"{base}: int, ", f"{base}, ") if form == "given" else ("", "")
    step = {"given": f"{{}} * {base}", "constant": f"{number} * {{}}", "shifted": f"{number} * {{}} + {shift}"}[form]
    recursion = step.format(f"{function}({actual}n - 1)")
    return text(
        f"{draw.name('method')}({formal}{bound}: nat) returns ({', '.join((f'{out}: int', *counter.results))})",
        [f"ensures {out} == {function}({actual}{bound})", *(f"ensures {e}" for e in counter.ensures)],
        [f"{out} := {start};", *counter.before, walk.start],
        walk.condition,
        [walk.range, f"{out} == {function}({actual}{walk.index})", *counter.invariants],
        walk.body([f"{out} := {step.format(out)};", *counter.step]),
        helper=f"function {function}({formal}n: nat): int\n{{\n  if n == 0 then {start} else {recursion}\n}}\n\n",
    )


def divide(draw: Draw) -> str:
    """Quotient and remainder by repeated subtraction, for a given or constant divisor."""
    given, divisor = draw.name("number"), draw.name("number")
    quotient, rest = draw.name("result"), draw.name("side")
    form = draw.option(("given", "constant"))
    by = divisor if form == "given" else str(draw.number(2, 12))
    condition = f"{rest} >= {by}" if draw.option(("plain", "flipped")) == "plain" else f"{by} <= {rest}"
    order = draw.option(("quotient", "rest"))
    steps = [f"{quotient} := {quotient} + 1;", f"{rest} := {rest} - {by};"]
    formals = f"{given}: int, {divisor}: int" if form == "given" else f"{given}: int"
    return text(
        f"{draw.name('method')}({formals}) returns ({quotient}: int, {rest}: int)",
        [
            f"requires {given} >= 0" + (f" && {divisor} > 0" if form == "given" else ""),
            f"ensures {given} == {quotient} * {by} + {rest}",
            f"ensures 0 <= {rest} < {by}",
        ],
        [f"{quotient} := 0;", f"{rest} := {given};"],
        condition,
        [f"{given} == {quotient} * {by} + {rest}", f"0 <= {rest}"],
        steps if order == "quotient" else steps[::-1],
    )


def square(draw: Draw) -> str:
    """A multiple of a square as the sum of a growing odd number."""
    bound, out, odd = draw.name("bound"), draw.name("result"), draw.name("side")
    factor = draw.number(1, 9)
    walk = loop(draw, bound, directions=("up",))
    scaled = "" if factor == 1 else f"{factor} * "
    start = draw.number(0, 9)
    return text(
        f"{draw.name('method')}({bound}: nat) returns ({out}: int)",
        [f"ensures {out} == {start} + {scaled}{bound} * {bound}"],
        [f"{out} := {start};", f"var {odd} := {factor};", walk.start],
        walk.condition,
        [
            walk.range,
            f"{odd} == {2 * factor} * {walk.index} + {factor}",
            f"{out} == {start} + {scaled}{walk.index} * {walk.index}",
        ],
        walk.body([f"{out} := {out} + {odd};", f"{odd} := {odd} + {2 * factor};"]),
    )


def transfer(draw: Draw) -> str:
    """One number grows while another shrinks to zero: a weighted sum stays."""
    given, left, out = draw.name("bound"), draw.name("side"), draw.name("result")
    start, gain = draw.number(0, 9), draw.number(2, 12)
    operator = draw.option(("+", "-"))
    compare = draw.option((">", "!=", "flipped"))
    condition = f"0 < {left}" if compare == "flipped" else f"{left} {compare} 0"
    order = draw.option(("gain", "loss"))
    steps = [f"{out} := {out} {operator} {gain};", f"{left} := {left} - 1;"]
    total = f"{start} {operator} {gain} * {given}"
    return text(
        f"{draw.name('method')}({given}: nat) returns ({out}: int)",
        [f"ensures {out} == {total}"],
        [f"{out} := {start};", f"var {left} := {given};"],
        condition,
        [f"0 <= {left} <= {given}", f"{out} == {start} {operator} {gain} * ({given} - {left})"],
        steps if order == "gain" else steps[::-1],
    )


def drain(draw: Draw) -> str:
    """Two counters run down to zero, each paying its own price: a weighted sum stays."""
    first, second = draw.name("number"), draw.name("number")
    left, right, out = draw.name("index"), draw.name("index"), draw.name("result")
    price, other = draw.number(2, 12), draw.number(2, 12)
    compare = draw.option((">", "!="))
    condition = f"{left} {compare} 0 || {right} {compare} 0"
    total = f"{price} * {first} + {other} * {second}"
    take = [f"{left} := {left} - 1;", f"{out} := {out} + {price};"]
    rest = [f"{right} := {right} - 1;", f"{out} := {out} + {other};"]
    return text(
        f"{draw.name('method')}({first}: int, {second}: int) returns ({out}: int)",
        [f"requires {first} >= 0 && {second} >= 0", f"ensures {out} == {total}"],
        [f"{out} := 0;", f"var {left}, {right} := {first}, {second};"],
        condition,
        [
            f"0 <= {left} <= {first}",
            f"0 <= {right} <= {second}",
            f"{out} + {price} * {left} + {other} * {right} == {total}",
            f"decreases {left} + {right}",
        ],
        [f"if {left} > 0 {{", *(f"  {s}" for s in take), "} else {", *(f"  {s}" for s in rest), "}"],
    )


def euclid(draw: Draw) -> str:
    """A common divisor by subtraction: the recursive function of the two numbers stays."""
    first, second = draw.name("number"), draw.name("number")
    left, right, out, function = draw.name("index"), draw.name("index"), draw.name("result"), draw.name("function")
    scaled = draw.option(("plain", "scaled")) == "scaled"
    factor = draw.number(2, 9)
    value = f"{factor} * m" if scaled else "m"
    final = f"{factor} * {left}" if scaled else left
    bigger = draw.option((">", "<"))
    smaller_first = f"{function}(m, n - m)"
    bigger_first = f"{function}(m - n, n)"
    recursion = (
        f"if m > n then {bigger_first} else {smaller_first}"
        if bigger == ">"
        else f"if m < n then {smaller_first} else {bigger_first}"
    )
    first_step, second_step = f"{left} := {left} - {right};", f"{right} := {right} - {left};"
    body = (
        branch(f"{left} > {right}", first_step, second_step)
        if bigger == ">"
        else branch(f"{left} < {right}", second_step, first_step)
    )
    return text(
        f"{draw.name('method')}({first}: int, {second}: int) returns ({out}: int)",
        [f"requires {first} > 0 && {second} > 0", f"ensures {out} == {function}({first}, {second})"],
        [f"var {left}, {right} := {first}, {second};"],
        f"{left} != {right}",
        [
            f"{left} > 0",
            f"{right} > 0",
            f"{function}({left}, {right}) == {function}({first}, {second})",
            f"decreases {left} + {right}",
        ],
        body,
        [f"{out} := {final};"],
        helper=(
            f"function {function}(m: int, n: int): int\n  requires m > 0 && n > 0\n{{\n"
            f"  if m == n then {value} else {recursion}\n}}\n\n"
        ),
    )
