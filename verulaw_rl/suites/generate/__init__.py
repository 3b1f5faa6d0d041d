"""Parametrised variants of verified loop programs, for training a policy from nothing in minutes.

Each program is one method with one loop (and at most one helper function), verifies under Dafny 2.3.0
and 4.x in well under a second, and does not verify without its loop annotations. A program is drawn from
a family; within a family identifiers, constants, comparisons, array or sequence, direction, statement order
and an optional second counter vary, so that a proof cannot be learned by heart.

The families share their proofs' structure on purpose: almost every proof is ``0 <= i <= n`` together
with the postcondition read over the part seen so far (``i`` in place of ``n``). A policy that learns
that from some families can prove others, so that whole families can be held out, or single variants:
``family`` says what a program was drawn from, ``variant`` which structural options it has.

The text is a function of the seed. Every program is verified again when a suite is built from it.
Called by suite builders and the quickstart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from verulaw_rl.errors import UserError
from verulaw_rl.suites.generate import arithmetic, folds, searches, writes
from verulaw_rl.suites.generate.draw import Draw

LANGUAGE = "dafny"
"""Of the generated programs."""

FAMILIES: dict[str, Callable[[Draw], str]] = {
    builder.__name__: builder
    for builder in (
        folds.fold_sum,
        folds.weighted_sum,
        folds.count_if,
        folds.sum_if,
        folds.choose_sum,
        folds.product,
        folds.pair_sum,
        folds.extreme_fold,
        writes.copy,
        writes.reverse_copy,
        writes.map_new,
        writes.clamp,
        writes.table,
        writes.zip_new,
        writes.fill,
        writes.update_all,
        writes.build_sequence,
        writes.filter_sequence,
        searches.first_index,
        searches.last_index,
        searches.all_hold,
        searches.any_holds,
        searches.pairwise,
        searches.extreme_value,
        searches.extreme_index,
        arithmetic.multiply,
        arithmetic.linear_count,
        arithmetic.number_sum,
        arithmetic.power,
        arithmetic.divide,
        arithmetic.square,
        arithmetic.transfer,
        arithmetic.drain,
        arithmetic.euclid,
    )
}
"""Family name to the function that draws one program of it."""

MAX_REPEATS = 2000
"""Draws in a row that give nothing new before a family counts as exhausted."""


@dataclass(frozen=True, slots=True)
class GeneratedProgram:
    """One generated program."""

    name: str
    """Unique within one call: the family and a running number."""
    family: str
    variant: str
    """Structural options, joined: programs that share it differ in names and constants only."""
    text: str


def generate(
    count: int,
    seed: int,
    families: Sequence[str] | None = None,
    names: int | None = None,
    constants: int | None = None,
) -> list[GeneratedProgram]:
    """Distinct programs, the families taking turns.

    Args:
        count: How many. A larger count with the same seed and families begins with the same programs.
        seed: Decides every text.
        families: Names out of :data:`FAMILIES`; all of them when ``None``.
        names: Identifiers that each role (index, result, ...) draws from; all of its pool when ``None``.
        constants: Values that each constant draws from, the smallest ones; all of its range when ``None``.

    Raises:
        UserError: An unknown family, or more programs than the families have.
    """
    chosen = list(FAMILIES) if families is None else list(families)
    for name in chosen:
        if name not in FAMILIES:
            raise UserError(f"unknown family {name!r} of generated programs; there are: {', '.join(FAMILIES)}")
    streams = {name: _family(name, seed, names, constants) for name in chosen}
    programs: list[GeneratedProgram] = []
    while len(programs) < count:
        if not streams:
            raise UserError(
                f"the families have only {len(programs)} distinct programs, not {count}; name more families"
            )
        for name in list(streams):
            program = next(streams[name], None)
            if program is None:
                del streams[name]
            elif len(programs) < count:
                programs.append(program)
    return programs


def _family(name: str, seed: int, names: int | None, constants: int | None) -> Iterator[GeneratedProgram]:
    random = Random(f"{seed}/{name}")
    seen: set[str] = set()
    repeats = 0
    while repeats < MAX_REPEATS:
        draw = Draw(random, names, constants)
        text = FAMILIES[name](draw)
        if text in seen:
            repeats += 1
            continue
        repeats = 0
        seen.add(text)
        yield GeneratedProgram(f"{name}_{len(seen):04d}", name, draw.variant, text)
