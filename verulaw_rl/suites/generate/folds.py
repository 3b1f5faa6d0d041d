"""Families that fold a container: the result equals a recursive function of the part seen so far.

Shared proof: ``0 <= i <= n`` and, read off the postcondition ``r == F(a, n)``, either ``r == F(a, i)``
(upwards) or ``r + F(a, i) == F(a, n)`` (downwards).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from verulaw_rl.suites.generate.draw import Container, Draw, branch, container, loop, predicate, side, text


def _helper(function: str, over: Sequence[Container], start: int, step: str) -> str:
    """The function by recursion over the length of the part; ``step`` has ``{}`` for the value before."""
    formals = ", ".join(c.parameter for c in over)
    actuals = ", ".join(c.name for c in over)
    needs = " && ".join(f"n <= {c.length}" for c in over)
    reads = [c.name for c in over if c.is_array]
    lines = [f"function {function}({formals}, n: nat): int", f"  requires {needs}"]
    if reads:
        lines.append(f"  reads {', '.join(reads)}")
    recursion = step.format(f"{function}({actuals}, n - 1)")
    lines += ["{", f"  if n == 0 then {start} else {recursion}", "}", "", ""]
    return "\n".join(lines)


def _fold(
    draw: Draw,
    over: Sequence[Container],
    term: Callable[[str], str],
    statements: Callable[[str, str], list[str]],
    *,
    operator: str = "+",
    start: int = 0,
    can_go_down: bool = True,
) -> str:
    """A fold program: ``term`` gives the step's value at a position, ``statements`` adds it to the result."""
    function, result = draw.name("function"), draw.name("result")
    part = ", ".join(c.name for c in over)
    directions = ("up", "up", "down") if can_go_down else ("up",)
    walk = loop(draw, over[0].length, directions=directions)
    counter = side(draw, walk)
    value = f"{function}({part}, {walk.index})"
    whole = f"{function}({part}, {walk.bound})"
    equals = f"{result} == {value}" if walk.up else f"{result} + {value} == {whole}"
    formals = ", ".join(c.parameter for c in over)
    requires = [f"requires {over[0].length} == {over[1].length}"] if len(over) > 1 else []
    return text(
        f"{draw.name('method')}({formals}) returns ({', '.join((f'{result}: int', *counter.results))})",
        [*requires, f"ensures {result} == {whole}", *(f"ensures {e}" for e in counter.ensures)],
        [f"{result} := {start};", *counter.before, walk.start],
        walk.condition,
        [walk.range, equals, *counter.invariants],
        walk.body([*statements(result, walk.at), *counter.step]),
        helper=_helper(function, over, start, f"{{}} {operator} {term('n - 1')}"),
    )


def fold_sum(draw: Draw) -> str:
    """Sum (or negated sum) of the elements, from a start value."""
    over = container(draw)
    operator = draw.option(("+", "-"))
    start = draw.number(0, 9)

    def term(at: str) -> str:
        return f"{over.name}[{at}]"

    return _fold(
        draw,
        [over],
        term,
        lambda r, at: [f"{r} := {r} {operator} {term(at)};"],
        operator=operator,
        start=start,
        can_go_down=False,
    )


def weighted_sum(draw: Draw) -> str:
    """Sum of a linear function of the elements."""
    over = container(draw)
    factor, shift = draw.number(2, 9), draw.number(1, 9)
    form = draw.option(("scaled", "shifted"))

    def term(at: str) -> str:
        element = f"{over.name}[{at}]"
        return f"{factor} * {element}" if form == "scaled" else f"({element} + {shift})"

    return _fold(draw, [over], term, lambda r, at: [f"{r} := {r} + {term(at)};"])


def count_if(draw: Draw) -> str:
    """Number of elements with a property."""
    over = container(draw)
    holds, _ = predicate(draw, str(draw.number()))
    step = draw.pick((1, 1, 2, 3))

    def element(at: str) -> str:
        return holds.format(f"{over.name}[{at}]")

    return _fold(
        draw,
        [over],
        lambda at: f"(if {element(at)} then {step} else 0)",
        lambda r, at: branch(element(at), f"{r} := {r} + {step};"),
    )


def sum_if(draw: Draw) -> str:
    """Sum of the elements with a property."""
    over = container(draw)
    holds, _ = predicate(draw, str(draw.number()))

    def element(at: str) -> str:
        return f"{over.name}[{at}]"

    return _fold(
        draw,
        [over],
        lambda at: f"(if {holds.format(element(at))} then {element(at)} else 0)",
        lambda r, at: branch(holds.format(element(at)), f"{r} := {r} + {element(at)};"),
    )


def choose_sum(draw: Draw) -> str:
    """Sum that adds one constant for elements with a property and another for the rest."""
    over = container(draw)
    holds, _ = predicate(draw, str(draw.number()))
    then, otherwise = draw.number(1, 6), draw.number(7, 12)

    def condition(at: str) -> str:
        return holds.format(f"{over.name}[{at}]")

    return _fold(
        draw,
        [over],
        lambda at: f"(if {condition(at)} then {then} else {otherwise})",
        lambda r, at: branch(condition(at), f"{r} := {r} + {then};", f"{r} := {r} + {otherwise};"),
    )


def product(draw: Draw) -> str:
    """Product of the elements, shifted or not."""
    over = container(draw)
    shift = draw.number(1, 9)
    form = draw.option(("plain", "shifted"))

    def term(at: str) -> str:
        element = f"{over.name}[{at}]"
        return element if form == "plain" else f"({element} + {shift})"

    return _fold(
        draw,
        [over],
        term,
        lambda r, at: [f"{r} := {r} * {term(at)};"],
        operator="*",
        start=draw.number(1, 5),
        can_go_down=False,
    )


def pair_sum(draw: Draw) -> str:
    """Sum over two containers of one length, element by element."""
    first, second = container(draw), container(draw)
    operator = draw.option(("+", "-", "*"))

    def term(at: str) -> str:
        return f"({first.name}[{at}] {operator} {second.name}[{at}])"

    return _fold(draw, [first, second], term, lambda r, at: [f"{r} := {r} + {term(at)};"])


def extreme_fold(draw: Draw) -> str:
    """Largest or smallest of a constant and the elements, as a recursive function."""
    over = container(draw)
    compare = draw.option((">", "<"))
    function, result = draw.name("function"), draw.name("result")
    start = draw.number()
    walk = loop(draw, over.length, directions=("up",))
    counter = side(draw, walk)
    last, before = f"{over.name}[n - 1]", f"{function}({over.name}, n - 1)"
    element = f"{over.name}[{walk.at}]"
    step = f"(if {last} {compare} {before} then {last} else {before})"
    return text(
        f"{draw.name('method')}({over.parameter}) returns ({', '.join((f'{result}: int', *counter.results))})",
        [f"ensures {result} == {function}({over.name}, {walk.bound})", *(f"ensures {e}" for e in counter.ensures)],
        [f"{result} := {start};", *counter.before, walk.start],
        walk.condition,
        [walk.range, f"{result} == {function}({over.name}, {walk.index})", *counter.invariants],
        walk.body([*branch(f"{element} {compare} {result}", f"{result} := {element};"), *counter.step]),
        helper=_helper(function, [over], start, step.replace("{", "{{").replace("}", "}}")),
    )
