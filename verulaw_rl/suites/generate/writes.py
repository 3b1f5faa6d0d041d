"""Families that write an array or build a sequence: every position seen so far is as the postcondition says.

Shared proof: ``0 <= i <= n`` and, read off ``forall k :: 0 <= k < n ==> P(k)``, the same over the part
seen: ``forall k :: 0 <= k < i ==> P(k)``; in place also that the part not yet seen is unchanged.
"""

from __future__ import annotations

from collections.abc import Callable

from verulaw_rl.suites.generate.draw import Container, Draw, Loop, branch, container, loop, predicate, side, text


def _every(k: str, where: str, what: str) -> str:
    return f"forall {k} :: {where} ==> {what}"


def _write_new(
    draw: Draw,
    formals: str,
    length: str,
    value: Callable[[str], str],
    *,
    statements: Callable[[str, str], list[str]] | None = None,
    requires: tuple[str, ...] = (),
) -> str:
    """A new array whose element at ``k`` is ``value(k)``."""
    out, k = draw.name("result"), draw.name("quantified")
    walk = loop(draw, length)
    counter = side(draw, walk)
    write = statements(out, walk.at) if statements else [f"{out}[{walk.at}] := {value(walk.at)};"]
    results = ", ".join((f"{out}: array<int>", *counter.results))
    return text(
        f"{draw.name('method')}({formals}) returns ({results})",
        [
            *(f"requires {r}" for r in requires),
            f"ensures {out}.Length == {length}",
            f"ensures {_every(k, walk.whole(k), f'{out}[{k}] == {value(k)}')}",
            *(f"ensures {e}" for e in counter.ensures),
        ],
        [f"{out} := new int[{length}];", *counter.before, walk.start],
        walk.condition,
        [walk.range, _every(k, walk.seen(k), f"{out}[{k}] == {value(k)}"), *counter.invariants],
        walk.body([*write, *counter.step]),
    )


def copy(draw: Draw) -> str:
    """A copy."""
    source = container(draw)
    return _write_new(draw, source.parameter, source.length, lambda k: f"{source.name}[{k}]")


def reverse_copy(draw: Draw) -> str:
    """A copy in reverse order."""
    source = container(draw)
    return _write_new(
        draw, source.parameter, source.length, lambda k: f"{source.name}[{source.length} - 1 - {_operand(k)}]"
    )


def _operand(k: str) -> str:
    return f"({k})" if " " in k else k


def map_new(draw: Draw) -> str:
    """A linear function of every element."""
    source = container(draw)
    form = draw.option(("scaled", "shifted", "lowered", "linear"))
    factor, shift = draw.number(2, 9), draw.number(1, 9)

    def value(k: str) -> str:
        element = f"{source.name}[{k}]"
        return {
            "scaled": f"{factor} * {element}",
            "shifted": f"{element} + {shift}",
            "lowered": f"{element} - {shift}",
            "linear": f"{factor} * {element} + {shift}",
        }[form]

    return _write_new(draw, source.parameter, source.length, value)


def clamp(draw: Draw) -> str:
    """Elements limited from below or above."""
    source = container(draw)
    compare = draw.option(("<", ">"))
    limit = draw.number()

    def condition(k: str) -> str:
        return f"{source.name}[{k}] {compare} {limit}"

    return _write_new(
        draw,
        source.parameter,
        source.length,
        lambda k: f"(if {condition(k)} then {limit} else {source.name}[{k}])",
        statements=lambda out, at: branch(
            condition(at), f"{out}[{at}] := {limit};", f"{out}[{at}] := {source.name}[{at}];"
        ),
    )


def table(draw: Draw) -> str:
    """A table of a function of the position."""
    size = draw.name("bound")
    form = draw.option(("linear", "square", "constant", "parameter"))
    factor, shift, given = draw.number(2, 9), draw.number(0, 9), draw.name("number")

    def value(k: str) -> str:
        position = _operand(k)
        return {
            "linear": f"{factor} * {position} + {shift}",
            "square": f"{position} * {position}",
            "constant": str(shift),
            "parameter": given,
        }[form]

    formals = f"{size}: nat, {given}: int" if form == "parameter" else f"{size}: nat"
    return _write_new(draw, formals, size, value)


def zip_new(draw: Draw) -> str:
    """Two containers of one length combined element by element."""
    first, second = container(draw), container(draw)
    operator = draw.option(("+", "-"))
    return _write_new(
        draw,
        f"{first.parameter}, {second.parameter}",
        first.length,
        lambda k: f"{first.name}[{k}] {operator} {second.name}[{k}]",
        requires=(f"{first.length} == {second.length}",),
    )


def _write_in_place(draw: Draw, values: Container, walk: Loop, k: str, formals: str, after: str, write: str) -> str:
    """Every element of the array becomes ``after`` (an expression over ``k`` and old elements)."""
    keeps = _every(k, walk.unseen(k), f"{values.name}[{k}] == old({values.name}[{k}])")
    return text(
        f"{draw.name('method')}({formals})",
        [f"modifies {values.name}", f"ensures {_every(k, walk.whole(k), f'{values.name}[{k}] == {after}')}"],
        [walk.start],
        walk.condition,
        [walk.range, _every(k, walk.seen(k), f"{values.name}[{k}] == {after}"), *([keeps] if "old(" in after else [])],
        walk.body([f"{values.name}[{walk.at}] := {write};"]),
    )


def fill(draw: Draw) -> str:
    """All elements set to one value."""
    values = container(draw, "array")
    form = draw.option(("constant", "parameter"))
    given = draw.name("number")
    value = given if form == "parameter" else str(draw.number(0, 12))
    formals = f"{values.parameter}, {given}: int" if form == "parameter" else values.parameter
    walk = loop(draw, values.length)
    return _write_in_place(draw, values, walk, draw.name("quantified"), formals, value, value)


def update_all(draw: Draw) -> str:
    """Every element changed in place."""
    values = container(draw, "array")
    form = draw.option(("raised", "lowered", "scaled"))
    number = draw.number(2, 9)
    walk, k = loop(draw, values.length), draw.name("quantified")

    def changed(element: str) -> str:
        return {
            "raised": f"{element} + {number}",
            "lowered": f"{element} - {number}",
            "scaled": f"{number} * {element}",
        }[form]

    old, now = f"old({values.name}[{k}])", f"{values.name}[{walk.at}]"
    return _write_in_place(draw, values, walk, k, values.parameter, changed(old), changed(now))


def build_sequence(draw: Draw) -> str:
    """A sequence grown at its end, one element of the source at a time."""
    source = container(draw)
    out, k = draw.name("result"), draw.name("quantified")
    form = draw.option(("same", "scaled", "shifted"))
    number = draw.number(2, 9)
    walk = loop(draw, source.length, directions=("up",))
    counter = side(draw, walk)

    def value(at: str) -> str:
        element = f"{source.name}[{at}]"
        return {"same": element, "scaled": f"{number} * {element}", "shifted": f"{element} + {number}"}[form]

    return text(
        f"{draw.name('method')}({source.parameter}) returns ({', '.join((f'{out}: seq<int>', *counter.results))})",
        [
            f"ensures |{out}| == {source.length}",
            f"ensures {_every(k, walk.whole(k), f'{out}[{k}] == {value(k)}')}",
            *(f"ensures {e}" for e in counter.ensures),
        ],
        [f"{out} := [];", *counter.before, walk.start],
        walk.condition,
        [
            walk.range,
            f"|{out}| == {walk.index}",
            _every(k, walk.seen(k), f"{out}[{k}] == {value(k)}"),
            *counter.invariants,
        ],
        walk.body([f"{out} := {out} + [{value(walk.at)}];", *counter.step]),
    )


def filter_sequence(draw: Draw) -> str:
    """The elements with a property; everything kept has it, and no more is kept than was there."""
    source = container(draw)
    out, k = draw.name("result"), draw.name("quantified")
    holds, _ = predicate(draw, str(draw.number()))
    walk = loop(draw, source.length, directions=("up",))
    counter = side(draw, walk)
    element = f"{source.name}[{walk.at}]"
    kept = _every(k, f"0 <= {k} < |{out}|", holds.format(f"{out}[{k}]"))
    return text(
        f"{draw.name('method')}({source.parameter}) returns ({', '.join((f'{out}: seq<int>', *counter.results))})",
        [f"ensures |{out}| <= {source.length}", f"ensures {kept}", *(f"ensures {e}" for e in counter.ensures)],
        [f"{out} := [];", *counter.before, walk.start],
        walk.condition,
        [walk.range, f"|{out}| <= {walk.index}", kept, *counter.invariants],
        walk.body([*branch(holds.format(element), f"{out} := {out} + [{element}];"), *counter.step]),
    )
