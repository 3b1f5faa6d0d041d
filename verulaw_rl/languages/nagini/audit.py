"""The integrity audit of Nagini: what a candidate changed of its given, and how it avoids proof.

Works on the tree, never on raw text, and never raises. The parts: ``specification`` compares definitions and
hands on what was added, ``frozen`` compares bodies, ``escapes`` searches what was added, ``freshness`` holds
the names.

A candidate that Python cannot read has no findings but those of its characters: the verifier calls it invalid, and
nothing in it counts. Whoever scores must not take such a candidate for intact and verified.
"""

from __future__ import annotations

from verulaw_rl.languages.base import Finding, Task
from verulaw_rl.languages.characters import strange_characters
from verulaw_rl.languages.nagini.escapes import all_escapes, coding, find_escapes, ignore_key, ignored_types
from verulaw_rl.languages.nagini.source import Source
from verulaw_rl.languages.nagini.specification import Comparison
from verulaw_rl.languages.nagini.view import read


def audit_candidate(task: Task, given: str, candidate: str) -> tuple[Finding, ...]:
    """Every change of the specification and of frozen code, and every proof escape that the candidate adds.

    Args:
        task: what was asked; it decides what is frozen.
        given: the instance's given text.
        candidate: the whole program handed in; any text.
    """
    before, after = read(given), read(candidate)
    found = strange_characters(given, after.source.lexed)
    if before.source.coding is None:
        found += coding(after.source)
    if after.source.tree is not None:
        comparison = Comparison(task, before, after)
        comparison.run()
        found += comparison.findings
        found += find_escapes(after, comparison.added)
        found += ignored_types(after.source, _ignored(before.source))
    return tuple(dict.fromkeys(found))


def escapes(source: str) -> tuple[Finding, ...]:
    """Every construct of a program that Nagini accepts without proof, whoever wrote it."""
    return tuple(dict.fromkeys(all_escapes(read(source))))


def _ignored(source: Source) -> frozenset[str]:
    if source.tree is None:
        return frozenset()
    lines = source.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return frozenset(ignore_key(lines[i.lineno - 1]) for i in source.tree.type_ignores)
