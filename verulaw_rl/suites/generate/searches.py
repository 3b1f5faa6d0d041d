"""Families that search, decide or compare: what was seen so far decides nothing, or gave the best so far.

Shared proof: ``0 <= i <= n`` and the quantified postcondition over the part seen.
"""

from __future__ import annotations

from verulaw_rl.suites.generate.draw import OPPOSITE, Draw, branch, container, loop, predicate, text


def first_index(draw: Draw) -> str:
    """First position with a property, or the length."""
    over, k = container(draw), draw.name("quantified")
    given = draw.name("number")
    form = draw.option(("given", "constant"))
    holds, fails = predicate(draw, given if form == "given" else str(draw.number()))
    walk = loop(draw, over.length, directions=("up",), can_be_early=False)
    out = draw.name("result")
    formals = f"{over.parameter}, {given}: int" if given in holds else over.parameter
    element = f"{over.name}[{{}}]"
    return text(
        f"{draw.name('method')}({formals}) returns ({out}: int)",
        [
            f"ensures 0 <= {out} <= {over.length}",
            f"ensures forall {k} :: 0 <= {k} < {out} ==> {fails.format(element.format(k))}",
            f"ensures {out} < {over.length} ==> {holds.format(element.format(out))}",
        ],
        [walk.start],
        walk.condition,
        [walk.range, f"forall {k} :: {walk.seen(k)} ==> {fails.format(element.format(k))}"],
        walk.body(branch(holds.format(element.format(walk.at)), f"return {walk.index};")),
        [f"return {walk.bound};"],
    )


def last_index(draw: Draw) -> str:
    """Last position with a property, or -1."""
    over, k = container(draw), draw.name("quantified")
    holds, fails = predicate(draw, str(draw.number()))
    walk = loop(draw, over.length, directions=("down",))
    out = draw.name("result")
    element = f"{over.name}[{{}}]"
    return text(
        f"{draw.name('method')}({over.parameter}) returns ({out}: int)",
        [
            f"ensures -1 <= {out} < {over.length}",
            f"ensures forall {k} :: {out} < {k} < {over.length} ==> {fails.format(element.format(k))}",
            f"ensures 0 <= {out} ==> {holds.format(element.format(out))}",
        ],
        [walk.start],
        walk.condition,
        [walk.range, f"forall {k} :: {walk.seen(k)} ==> {fails.format(element.format(k))}"],
        walk.body(branch(holds.format(element.format(walk.at)), f"return {walk.index};")),
        ["return -1;"],
    )


def _decide(draw: Draw, *, every: bool) -> str:
    """A Boolean result over all positions, by a flag or by an early return."""
    over, k, flag = container(draw), draw.name("quantified"), draw.name("flag")
    holds, fails = predicate(draw, str(draw.number()))
    style = draw.option(("flag", "return"))
    walk = loop(draw, over.length, can_be_early=style == "flag")
    at, element = f"{over.name}[{walk.at}]", f"{over.name}[{k}]"
    quantifier, link = ("forall", "==>") if every else ("exists", "&&")
    settles, settled = (fails, "false") if every else (holds, "true")
    meaning = f"{flag} <==> {quantifier} {k} :: {{}} {link} {holds.format(element)}"
    start = "true" if every else "false"
    if style == "flag":
        invariant = meaning.format(walk.seen(k))
        statement, before, after = f"{flag} := {settled};", [f"{flag} := {start};", walk.start], []
    else:
        undecided = holds if every else fails
        invariant = f"forall {k} :: {walk.seen(k)} ==> {undecided.format(element)}"
        statement, before, after = f"return {settled};", [walk.start], [f"return {start};"]
    return text(
        f"{draw.name('method')}({over.parameter}) returns ({flag}: bool)",
        [f"ensures {meaning.format(walk.whole(k))}"],
        before,
        walk.condition,
        [walk.range, invariant],
        walk.body(branch(settles.format(at), statement)),
        after,
    )


def all_hold(draw: Draw) -> str:
    """Whether all elements have a property."""
    return _decide(draw, every=True)


def any_holds(draw: Draw) -> str:
    """Whether some element has a property."""
    return _decide(draw, every=False)


def pairwise(draw: Draw) -> str:
    """Whether two containers of one length compare in one way at every position."""
    first, second = container(draw), container(draw)
    k, flag = draw.name("quantified"), draw.name("flag")
    compare = draw.option(("==", "<=", "<", "!="))
    style = draw.option(("flag", "return"))
    walk = loop(draw, first.length, can_be_early=style == "flag")
    holds = f"{first.name}[{k}] {compare} {second.name}[{k}]"
    differs = f"{first.name}[{walk.at}] {OPPOSITE[compare]} {second.name}[{walk.at}]"
    seen = f"forall {k} :: {walk.seen(k)} ==> {holds}"
    by_flag = style == "flag"
    return text(
        f"{draw.name('method')}({first.parameter}, {second.parameter}) returns ({flag}: bool)",
        [
            f"requires {first.length} == {second.length}",
            f"ensures {flag} <==> forall {k} :: {walk.whole(k)} ==> {holds}",
        ],
        [f"{flag} := true;", walk.start] if by_flag else [walk.start],
        walk.condition,
        [walk.range, f"{flag} <==> {seen}" if by_flag else seen],
        walk.body(branch(differs, f"{flag} := false;" if by_flag else "return false;")),
        [] if by_flag else ["return true;"],
    )


def extreme_value(draw: Draw) -> str:
    """Largest or smallest element of a non-empty container."""
    over, k, out = container(draw), draw.name("quantified"), draw.name("result")
    better = draw.option((">", "<"))
    bounded = OPPOSITE[better]
    first = draw.option((0, 1))
    walk = loop(draw, over.length, directions=("up",), first=first)
    present = draw.option(("bound", "attained")) == "attained"
    exists = f"exists {k} :: 0 <= {k} < {{}} && {over.name}[{k}] == {out}"
    at = f"{over.name}[{walk.at}]"
    return text(
        f"{draw.name('method')}({over.parameter}) returns ({out}: int)",
        [
            f"requires {over.length} > 0",
            f"ensures forall {k} :: {walk.whole(k)} ==> {over.name}[{k}] {bounded} {out}",
            *([f"ensures {exists.format(over.length)}"] if present else []),
        ],
        [f"{out} := {over.name}[0];", walk.start],
        walk.condition,
        [
            walk.range,
            f"forall {k} :: {walk.seen(k)} ==> {over.name}[{k}] {bounded} {out}",
            *([exists.format(over.length)] if present else []),
        ],
        walk.body(branch(f"{at} {better} {out}", f"{out} := {at};")),
    )


def extreme_index(draw: Draw) -> str:
    """Position of a largest or smallest element."""
    over, k, out = container(draw), draw.name("quantified"), draw.name("result")
    better = draw.option((">", "<"))
    bounded = OPPOSITE[better]
    walk = loop(draw, over.length, directions=("up", "down"))
    at = f"{over.name}[{walk.at}]"
    return text(
        f"{draw.name('method')}({over.parameter}) returns ({out}: int)",
        [
            f"requires {over.length} > 0",
            f"ensures 0 <= {out} < {over.length}",
            f"ensures forall {k} :: {walk.whole(k)} ==> {over.name}[{k}] {bounded} {over.name}[{out}]",
        ],
        [f"{out} := 0;", walk.start],
        walk.condition,
        [
            walk.range,
            f"0 <= {out} < {over.length}",
            f"forall {k} :: {walk.seen(k)} ==> {over.name}[{k}] {bounded} {over.name}[{out}]",
        ],
        walk.body(branch(f"{at} {better} {over.name}[{out}]", f"{out} := {walk.at};")),
    )
