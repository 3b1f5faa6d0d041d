"""Enumerate the obligations of an instance, once, from its specification and reference.

The table of the reward's design: which categories an instance exercises depends on its task. The
builder calls this; nothing that a candidate does changes the result.
"""

from __future__ import annotations

from collections.abc import Iterator

from verulaw_rl.languages.base import Category, DeclarationView, Language, Task
from verulaw_rl.suites.instance import Obligation


def enumerate_obligations(
    language: Language, task: Task, given: str, reference: str, stripped_safety_failures: int = 0
) -> tuple[Obligation, ...]:
    """Obligations of an instance, probes apart.

    Args:
        language: whose syntax the program has.
        task: annotation repair or code generation.
        given: the text that the agent starts from.
        reference: the verified program.
        stripped_safety_failures: safety failures of the given; more than one per target raises ``N[safety]``.
    """
    targets = language.targets(language.parse(reference), task)
    kept = language.parse(given).by_path
    out: list[Obligation] = []
    for target in targets:
        out += _postconditions(target)
        out.append(Obligation(f"safety:{target.path}", Category.SAFETY, target.path))
        out += _termination(target, task)
        in_given = kept.get(target.path)
        for index, clause in enumerate(in_given.asserts if in_given else ()):
            out.append(
                Obligation(
                    f"assertion:{target.path}:{index}", Category.ASSERTION, target.path, clause.expression, clause=index
                )
            )
    if task is Task.ANNOTATION_REPAIR:
        for extra in range(stripped_safety_failures - len(targets)):
            out.append(Obligation(f"safety:extra:{extra}", Category.SAFETY, ""))
    return tuple(out)


def _postconditions(target: DeclarationView) -> Iterator[Obligation]:
    ensures = [c for c in target.clauses if c.kind in ("ensures", "yield ensures")]
    for index, clause in enumerate(ensures):
        yield Obligation(
            f"postcondition:{target.path}:{index}", Category.POSTCONDITION, target.path, clause.expression, clause=index
        )


def _termination(target: DeclarationView, task: Task) -> Iterator[Obligation]:
    if not target.termination:
        return
    if task is not Task.ANNOTATION_REPAIR:
        yield Obligation(f"termination:{target.path}", Category.TERMINATION, target.path)
        return
    for loop in target.loops:
        yield Obligation(
            f"termination:{target.path}:loop{loop.index}", Category.TERMINATION, target.path, "loop", loop=loop.index
        )
    if target.recursive:
        yield Obligation(f"termination:{target.path}:recursion", Category.TERMINATION, target.path, "recursion")
