"""The integrity audit of Verus: what a candidate changed of its given, and how it avoids proof.

Works on tokens and the syntax tree, never on raw text, and never raises. The parts: ``specification`` compares
declarations and hands on what was added, ``frozen`` compares bodies, ``escapes`` searches what was added,
``attributes`` and ``freshness`` hold the lists.

A candidate that cannot be read (``parse(candidate).error``) has the findings that are clear nevertheless; in the
declaration with the mistake, what seems to be missing or changed may only be misread, and is left to the verifier.
Whoever scores must not take such a candidate for intact and verified.
"""

from __future__ import annotations

from verulaw_rl.languages.base import Finding, Task
from verulaw_rl.languages.characters import strange_characters
from verulaw_rl.languages.misreading import clear_findings, too_deep
from verulaw_rl.languages.verus.escapes import all_escapes, find_escapes
from verulaw_rl.languages.verus.specification import Comparison
from verulaw_rl.languages.verus.view import read

_DEEPEST = 30
"""Brackets in brackets; the parser reads deeper ones, but not without limit. Public programs have at most 17."""
_PERHAPS_MISREAD = frozenset({"endless_loop"})


def audit_candidate(task: Task, given: str, candidate: str) -> tuple[Finding, ...]:
    """Every change of the specification and of frozen code, and every proof escape that the candidate adds.

    Args:
        task: what was asked; it decides what is frozen.
        given: the instance's given text.
        candidate: the whole program handed in; any text.
    """
    before, after = read(given), read(candidate)
    comparison = Comparison(task, before, after)
    comparison.run()
    escaped = find_escapes(after, comparison.added, before)
    lexed = after.program.lexed
    found = [
        *strange_characters(given, lexed),
        *too_deep(lexed, _DEEPEST, "nest less, with helper functions or names"),
        *comparison.findings,
        *escaped,
    ]
    return clear_findings(before, after, found, _PERHAPS_MISREAD)


def escapes(source: str) -> tuple[Finding, ...]:
    """Every construct of a program that a verifier accepts without proof, whoever wrote it."""
    return tuple(dict.fromkeys(all_escapes(read(source))))
