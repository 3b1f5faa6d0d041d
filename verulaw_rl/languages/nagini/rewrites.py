"""Rewrites of a verified Nagini program; what ``verulaw-rl attack`` makes candidates of.

Specification mutants change one token or clause; proof rewrites put what is believed without proof wherever a
statement or a definition may stand; honest ones change layout and add proof text.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator

from verulaw_rl.languages.base import RegionKind, Span, Task
from verulaw_rl.languages.nagini.program import Definition, statements
from verulaw_rl.languages.nagini.view import Reading, read
from verulaw_rl.languages.rewrites import (
    COMPARISONS,
    Edit,
    Family,
    Forms,
    Rewrite,
    Word,
    clause_mutants,
    insertion,
    removal,
    token_mutants,
)

FORMS = Forms(
    weaker="({}) or True",
    stronger="({}) and False",
    operators=COMPARISONS
    | {
        "and": ("or",),
        "or": ("and",),
        "not": ("",),
        "+": ("-",),
        "*": ("+",),
        "//": ("*",),
        "%": ("//",),
        "is": ("is not",),
        "Old": ("",),
        "True": ("False",),
        "False": ("True",),
        "Implies": ("PSeq",),
    },
    quantifiers={"Forall": ("Exists",), "Exists": ("Forall",)},
    types={
        "int": ("bool", "object"),
        "bool": ("int",),
        "str": ("int",),
        "List": ("Set",),
        "Optional": ("List",),
        "Pure": ("Predicate", "Inline"),
        "Predicate": ("Pure",),
        "list_pred": ("set_pred",),
    },
)
_FRAMES = {"decreases": ("None", "{}, False", "0")}
_STATEMENTS = {
    "assume": "Assume(False)",
    "assume_lookalike": "\uff21ssume(False)",
    "assume_split": "Assume \\\n(False)",
    "assume_nested": "Assert(Implies(True, Assume(False)))",
    "declassify": "Declassify(True)",
    "type_ignore": "Assert(True)  # type: ignore",
}
_DEFINITIONS = {
    "contract_only": "@ContractOnly\ndef believed_xyz() -> bool:\n    Ensures(False)\n    return True\n",
    "pure_contract_only": "@Pure\n@ContractOnly\ndef believed_xyz() -> bool:\n    Ensures(False)\n    ...\n",
    "pure_ellipsis": "@Pure\ndef believed_xyz() -> bool:\n    Ensures(False)\n    ...\n",
    "decreases_none": "@Pure\ndef believed_xyz(k: int) -> int:\n    Decreases(None)\n    return believed_xyz(k) + 1\n",
    "pure_recursion": "@Pure\ndef believed_xyz(k: int) -> int:\n    return believed_xyz(k) + 1\n",
    "lemma_calls_itself": "def believed_xyz(k: int) -> None:\n    Ensures(False)\n    believed_xyz(k + 1)\n",
    "endless_loop": "def believed_xyz(k: int) -> None:\n    Ensures(False)\n    while k == k:\n        Assert(True)\n",
    "import": "import helpers_of_others\n",
}
_HONEST_STATEMENTS = {
    "assertion": "Assert(True)",
    "python_assertion": "assert True",
    "ghost_variable": "fresh_xyz = 0",
    "pass": "pass",
    "comment": "# Assume(False)",
    "string": '"Assume(False)"',
}
_HONEST_DEFINITIONS = {
    "pure_helper": "@Pure\ndef helper_xyz(k: int) -> int:\n    Requires(k >= 0)\n    Decreases(k)\n    return 0\n",
    "lemma": "def helper_xyz(k: int) -> None:\n    Requires(k > 0)\n    Ensures(k > -1)\n    Assert(k > -1)\n",
    "predicate": "@Predicate\ndef helper_xyz(k: int) -> bool:\n    return k > 0\n",
}


def rewrites(task: Task, reference: str) -> Iterator[Rewrite]:
    """Every rewrite that this language knows, places in source order."""
    reading = read(reference)
    if reading.source.tree is None:
        return
    yield from _mutants(task, reading)
    yield from _additions(task, reading, Family.PROOF, _STATEMENTS, _DEFINITIONS)
    yield Rewrite(Family.PROOF, "coding", (insertion(0, "# -*- coding: utf-7 -*-\n"),))
    yield from _additions(task, reading, Family.HONEST, _HONEST_STATEMENTS, _HONEST_DEFINITIONS)
    yield from _honest(task, reading)


def _mutants(task: Task, reading: Reading) -> Iterator[Rewrite]:
    """Mutants of the specification and, in annotation repair, of the frozen code."""
    words = _words(reading)
    kinds = {r.span: r.kind for r in reading.view.regions}

    def of(kind: RegionKind) -> list[Word]:
        spans = [span for span, k in kinds.items() if k is kind]
        return [w for w in words if any(s.start <= w.start < s.end for s in spans)]

    yield from token_mutants(of(RegionKind.SPECIFICATION), FORMS)
    for view in reading.view.declarations:
        yield from clause_mutants(view.clauses, FORMS, _FRAMES)
        if view.callable:
            yield Rewrite(Family.SPECIFICATION, "declaration_dropped", (removal(view.span),))
    if task is Task.ANNOTATION_REPAIR:
        yield from token_mutants(of(RegionKind.EXECUTABLE), FORMS, "code_changed")
        for d in _methods(reading):
            for s in statements(d.implementation):
                if id(s) not in reading.proofs[id(d)].nodes and not isinstance(s, ast.Pass):
                    edit = Edit(reading.source.span(s), "pass")
                    yield Rewrite(Family.SPECIFICATION, "statement_dropped", (edit,))


def _words(reading: Reading) -> list[Word]:
    """Names, numbers and operators with their character offsets."""
    source, out = reading.source, []
    lines = io.StringIO(source.text.replace("\r\n", "\n").replace("\r", "\n"))
    if "\r" in source.text:
        return []
    try:
        for t in tokenize.generate_tokens(lines.readline):
            if t.type in (tokenize.NAME, tokenize.NUMBER, tokenize.OP):
                start = source.line_starts[t.start[0] - 1] + t.start[1]
                out.append(Word(t.string, start, start + len(t.string)))
    except (tokenize.TokenError, SyntaxError):
        return []
    return out


def _methods(reading: Reading) -> list[Definition]:
    return [d for d in reading.definitions if d.is_method and not d.trusted]


def _additions(
    task: Task, reading: Reading, family: Family, in_bodies: dict[str, str], at_end: dict[str, str]
) -> Iterator[Rewrite]:
    """Statements before every statement that starts a line, and definitions at the end."""
    text = reading.source.text
    for d in _methods(reading):
        if task is Task.CODE_GENERATION and d.kind == "constructor":
            continue  # frozen there
        for s in statements(d.implementation):
            start = reading.source.span(s).start
            line = text.rfind("\n", 0, start) + 1
            indent = text[line:start]
            if indent.strip() or _is_head(d, s):
                continue
            for kind, added in in_bodies.items():
                yield Rewrite(family, kind, (insertion(line, f"{indent}{added}\n"),))
    for kind, added in at_end.items():
        yield Rewrite(family, kind, (insertion(len(text), f"\n\n{added}"),))


def _is_head(d: Definition, s: ast.stmt) -> bool:
    """Whether a statement in front of this one would stand among the invariants of a loop."""
    call = s.value if isinstance(s, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Invariant"


def _honest(task: Task, reading: Reading) -> Iterator[Rewrite]:
    """Other layout, and less proof."""
    text = reading.source.text
    yield Rewrite(Family.HONEST, "comment_in_front", (insertion(0, "# -*- coding: utf-8 -*-\n# Assume\n"),))
    for d in reading.definitions:
        for _, s in d.clauses:
            call = s.value
            if isinstance(call, ast.Call) and call.args:
                span = reading.source.span(call.args[0])
                edits = (insertion(span.start, "(\n"), insertion(span.end, "\n)"))
                yield Rewrite(Family.HONEST, "layout", edits)
    if task is Task.ANNOTATION_REPAIR:
        for a in reading.view.annotations:
            if a.kind.value in ("invariant", "assert", "decreases"):
                edit = Edit(Span(a.span.start, a.span.end), "pass")
                if text[a.span.start : a.span.end] and a.loop is None:
                    yield Rewrite(Family.HONEST, "proof_left_out", (edit,))
