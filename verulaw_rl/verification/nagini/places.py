"""Positions of one program: which declaration and which contract clause stand at a place that Nagini names.

Nagini's columns are Python's own, bytes of UTF-8 from 0, as in :mod:`ast`; the program is read by that.
"""

from __future__ import annotations

import ast

from verulaw_rl.languages.base import Category
from verulaw_rl.verification.verdict import Location

CLAUSES = frozenset({"Requires", "Ensures", "Exsures", "Invariant", "Decreases", "Assert", "Refute"})


class Places:
    """One program, read once. Answers ``None`` to everything for a text that is no Python."""

    def __init__(self, program: str) -> None:
        self._program = program
        self._declarations: list[tuple[str, ast.AST]] = []
        self._clauses: list[tuple[str, ast.AST]] = []
        try:
            tree = ast.parse(program)
            self._visit(tree, "")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self._declarations, self._clauses = [], []

    def _visit(self, node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = prefix
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                path = prefix + child.name
                inner = path + "."
                self._declarations.append((path, child))
            elif isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id in CLAUSES:
                self._clauses.append((child.func.id, child))
            elif isinstance(child, ast.Assert):
                self._clauses.append(("assert", child))
            self._visit(child, inner)

    def declaration_at(self, location: Location) -> str | None:
        """Path of the innermost function or class that holds the place."""
        return max(((_start(n), path) for path, n in self._declarations if _holds(n, location)), default=(None, None))[
            1
        ]

    def clause_at(self, location: Location, category: Category) -> str | None:
        """Text of the clause that failed, for the categories whose place is a clause."""
        if category not in (Category.POSTCONDITION, Category.INVARIANT, Category.ASSERTION, Category.TERMINATION):
            return None
        holding = [n for _, n in self._clauses if _holds(n, location)]
        if not holding:
            return None
        return ast.get_source_segment(self._program, max(holding, key=_start))


def _start(node: ast.AST) -> tuple[int, int]:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def _holds(node: ast.AST, location: Location) -> bool:
    end = (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])  # type: ignore[attr-defined]
    start = (first, 0 if first < node.lineno else node.col_offset)  # type: ignore[attr-defined]
    return start <= (location.line, location.column) < end
