"""Which names a candidate may bring in: none that already means something in the given program or in every one.

A function of the candidate's own called ``abs`` changes what ``abs`` means in a contract, a method ``__eq__`` of
a given class what ``==`` means, a local variable may hide what the contract calls; and not one given line changes.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from verulaw_rl.languages.nagini.program import Definition
from verulaw_rl.languages.nagini.view import Reading, names_of
from verulaw_rl.languages.nagini.words import BUILT_INS, CONTRACT_WORDS, OURS

_EVERYWHERE = BUILT_INS | CONTRACT_WORDS | frozenset(dir(builtins))


def taken_names(given: Reading) -> frozenset[str]:
    """Every identifier of the given specification, and the names that its bodies call or read from outside.

    Local variables of method bodies are no specification: their names may be used again elsewhere.
    """
    tree = given.source.tree
    if tree is None:
        return frozenset()
    names: set[str] = {d.name for d in given.definitions}
    inside: set[int] = set()
    for d in given.definitions:
        if d.is_method:
            local = bound_names(d)
            for s in d.implementation:
                inside.update(id(n) for n in ast.walk(s))
                names.update(name for name in names_of(s) if name not in local)
    for n in ast.walk(tree):
        if id(n) in inside:
            continue
        if isinstance(n, ast.Name):
            names.add(n.id)
        elif isinstance(n, ast.Attribute):
            names.add(n.attr)
        elif isinstance(n, ast.alias):
            names.add((n.asname or n.name).split(".")[0])
    return frozenset(names)


def is_built_in(name: str) -> bool:
    """Whether the name means something in every program, or to Python itself."""
    return name in _EVERYWHERE or name.startswith(OURS) or (name.startswith("__") and name.endswith("__"))


def bound_names(d: Definition) -> dict[str, int]:
    """Names that the implementation of a definition binds, each with the first line that does."""
    out: dict[str, int] = {}
    for s in d.implementation:
        for name, line in _bound(s):
            out.setdefault(name, line)
    return out


def _bound(s: ast.stmt) -> Iterator[tuple[str, int]]:
    for n in ast.walk(s):
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load):
            yield n.id, n.lineno
        elif isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler):
            if n.name:
                yield n.name, n.lineno
        elif isinstance(n, ast.Import | ast.ImportFrom):
            for a in n.names:
                yield (a.asname or a.name).split(".")[0], n.lineno
        elif isinstance(n, ast.Global | ast.Nonlocal):
            for name in n.names:
                yield name, n.lineno


def captured(d: Definition) -> list[tuple[str, int]]:
    """Names that a body binds although its contract, or the contract language, means something else by them."""
    node = d.node
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    parameters = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
    contract = {n.id for _, s in d.clauses for n in ast.walk(s) if isinstance(n, ast.Name)}
    quantified = {a.arg for _, s in d.clauses for a in ast.walk(s) if isinstance(a, ast.arg)}
    meant = (contract - parameters - quantified) | CONTRACT_WORDS
    return [(name, line) for name, line in bound_names(d).items() if name in meant or name.startswith(OURS)]
