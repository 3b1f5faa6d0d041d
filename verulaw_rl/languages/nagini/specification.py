"""The comparison of a candidate with its given: every declaration there, at its place, unchanged.

Definitions are matched by path and kind; order does not matter, nor do layout, comments and docstrings, but
``# type:`` comments do. What a task leaves open (bodies to be written, proof text) is not compared but handed on,
together with every added definition, as :class:`Added` text in which ``escapes`` looks for ways around the
verifier. What the candidate keeps of the given is never looked at there.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable

from verulaw_rl.languages.base import Finding, FindingKind, Task
from verulaw_rl.languages.nagini.escapes import Added, allowed_import, proof
from verulaw_rl.languages.nagini.freshness import captured, is_built_in, taken_names
from verulaw_rl.languages.nagini.frozen import Change, FrozenBody
from verulaw_rl.languages.nagini.program import Definition
from verulaw_rl.languages.nagini.view import Reading, signature
from verulaw_rl.languages.nagini.words import is_no_op

_MARKS_OF_HELPERS = frozenset({"Pure", "Predicate", "Opaque", "Inline", "Ghost", "staticmethod", "classmethod"})


class Comparison:
    """Compares the readings of a given and a candidate; ``findings`` and ``added`` are what comes of it."""

    def __init__(self, task: Task, before: Reading, after: Reading) -> None:
        self.task = task
        self.before = before
        self.after = after
        self.findings: list[Finding] = []
        self.added: list[Added] = []
        self.taken = taken_names(before)

    def run(self) -> None:
        """Compare everything once."""
        left = [*self.after.definitions]
        for given in self.before.definitions:
            match = self._match(given, left)
            if match is None:
                self._missing(given)
            else:
                left.remove(match)
                self._definition(given, match)
        self._additions(left)
        given_tree, tree = self.before.source.tree, self.after.source.tree
        if given_tree is not None and tree is not None:
            self._statements("", given_tree.body, tree.body)

    @staticmethod
    def _match(given: Definition, left: list[Definition]) -> Definition | None:
        same = [d for d in left if d.path == given.path]
        kinds = [d for d in same if d.kind == given.kind]
        return next(iter(kinds or same), None)

    def _find(self, construct: str, path: str, line: int, message: str, advice: str) -> None:
        self.findings.append(Finding(FindingKind.SPECIFICATION, construct, path, line, message, advice))

    def _missing(self, given: Definition) -> None:
        self._find(
            "declaration_missing",
            given.path,
            given.node.lineno,
            f"the {given.kind} `{given.path}` of the given is gone",
            f"restore `{given.path}` as given",
        )

    # --- module and class level ---------------------------------------------------------------------------------

    def _statements(self, path: str, given: list[ast.stmt], candidate: list[ast.stmt]) -> None:
        """Statements that define no function or class: imports, constants, fields."""
        old, new = _plain(given), _plain(candidate)
        lost = Counter(map(_dump, old)) - Counter(map(_dump, new))
        gained = Counter(map(_dump, new)) - Counter(map(_dump, old))
        for s in old:
            if lost[_dump(s)]:
                lost[_dump(s)] -= 1
                text = _short(ast.unparse(s))
                self._find("statement_removed", path, s.lineno, f"`{text}` is gone", f"restore `{text}`")
        for s in new:
            if not gained[_dump(s)]:
                continue
            gained[_dump(s)] -= 1
            text = _short(ast.unparse(s))
            if isinstance(s, ast.Import | ast.ImportFrom):
                self._added_import(s, text)
            else:
                self._find(
                    "statement_added",
                    path,
                    s.lineno,
                    f"`{text}` was added outside of any function",
                    "remove it; what may be added are functions, predicates and methods with new names",
                )
        kept = [k for k in map(_dump, new) if k in set(map(_dump, old))]
        if not lost and kept != [k for k in map(_dump, old) if k in set(kept)]:
            line = new[0].lineno
            self._find("order_changed", path, line, "the given's own statements are in another order", "restore it")

    def _added_import(self, s: ast.Import | ast.ImportFrom, text: str) -> None:
        if not allowed_import(s):
            advice = "remove the import; only typing and nagini_contracts may be imported"
            message = f"`{text}` brings in functions whose contracts are believed without proof"
            self.findings.append(proof("import", "", s.lineno, message, advice))
            return
        own = {d.name for d in self.before.definitions}
        for a in s.names:
            name = a.asname or a.name
            if a.asname or name == "*" or name in own:
                self._find(
                    "import",
                    "",
                    s.lineno,
                    f"`{text}` may change what names of the given mean",
                    "import single names, under their own names",
                )

    def _additions(self, left: Iterable[Definition]) -> None:
        left = list(left)
        taken = self.taken
        new = {id(d) for d in left}
        given_paths = {d.path for d in self.before.definitions}
        for d in left:
            self.added.append(Added(d.path, [d.node] if d.kind != "class" else [], definition=d))
            inside_new = d.holder is not None and id(d.holder) in new
            if d.kind == "class" and (self.task is Task.ANNOTATION_REPAIR or _bases(d)):
                self._find(
                    "declaration_not_allowed",
                    d.path,
                    d.node.lineno,
                    f"the class `{d.path}` was added",
                    "remove it; what may be added are functions, predicates and methods with new names",
                )
            for mark in sorted(d.marks - _MARKS_OF_HELPERS - {"ContractOnly"}):
                self._find(
                    "decorator", d.path, d.node.lineno, f"`{d.path}` has the decorator `@{mark}`", f"remove `@{mark}`"
                )
            if inside_new and d.name == "__init__":
                continue
            if d.path in given_paths or is_built_in(d.name) or (d.name in taken and not inside_new):
                self._find(
                    "name_not_fresh",
                    d.path,
                    d.node.lineno,
                    f"the added {d.kind} `{d.path}` has a name that already means something in the given program",
                    f"choose a name that does not occur there, such as `{_fresh(d.name, taken)}`",
                )
            if d.is_method:
                self._captured(d, d.path)

    # --- one definition -----------------------------------------------------------------------------------------

    def _definition(self, given: Definition, candidate: Definition) -> None:
        path, line = given.path, candidate.node.lineno
        if signature(given) != signature(candidate):
            contract_only = "ContractOnly" in candidate.marks - given.marks
            self._find(
                "signature_changed",
                path,
                line,
                f"the head of `{path}` reads `{_short(signature(candidate))}`, given is `{_short(signature(given))}`",
                "restore it as given, its types and decorators too",
            )
            if contract_only:
                message = f"`@ContractOnly` makes the contract of `{path}` believed without proof"
                self.findings.append(proof("contract_only", path, line, message, "remove the decorator"))
        if given.kind == "class":
            self._statements(path, given.node.body, candidate.node.body)
            return
        self._clauses(given, candidate)
        if given.kind != candidate.kind:
            return  # said of its head
        self._body(given, candidate)

    def _clauses(self, given: Definition, candidate: Definition) -> None:
        lost = Counter(_clause(c) for c in given.clauses) - Counter(_clause(c) for c in candidate.clauses)
        gained = Counter(_clause(c) for c in candidate.clauses) - Counter(_clause(c) for c in given.clauses)
        old = _pick(given.clauses, lost)
        new = _pick(candidate.clauses, gained)
        for kind in dict.fromkeys(kind for kind, _ in (*old, *new)):
            before = [s for k, s in old if k == kind]
            now = [s for k, s in new if k == kind]
            for a, b in zip(before, now, strict=False):
                self._find(
                    "clause_changed",
                    given.path,
                    b.lineno,
                    f"a clause of `{given.path}` reads `{_short(ast.unparse(b))}`, given is `{_short(ast.unparse(a))}`",
                    f"restore `{_short(ast.unparse(a))}`; prove it as it is",
                )
            for a in before[len(now) :]:
                text = _short(ast.unparse(a))
                self._find("clause_missing", given.path, a.lineno, f"`{given.path}` lost `{text}`", f"restore `{text}`")
            for b in now[len(before) :]:
                self._find(
                    "clause_added",
                    given.path,
                    b.lineno,
                    f"`{_short(ast.unparse(b))}` was added to the contract of `{given.path}`",
                    "remove the clause: contracts of given declarations are fixed; a helper of your own may have any",
                )

    def _body(self, given: Definition, candidate: Definition) -> None:
        if not given.is_method or given.trusted:
            if [_dump(s) for s in _code(given)] != [_dump(s) for s in _code(candidate)]:
                self._changed(given, candidate)
        elif self.task is Task.ANNOTATION_REPAIR:
            outcome = FrozenBody(self.before, self.after, given, candidate).compare()
            for change in outcome.changes:
                self._change(given, candidate, change)
            if outcome.added:
                self.added.append(Added(given.path, list(outcome.added)))
        elif self.task is Task.PATCH_GENERATION or self._is_target(given):
            self._written(given, candidate)
        elif [_dump(s) for s in _code(given)] != [_dump(s) for s in _code(candidate)]:
            self._changed(given, candidate)

    def _is_target(self, given: Definition) -> bool:
        return given.placeholder and given.kind == "method"

    def _written(self, given: Definition, candidate: Definition) -> None:
        """A body that the candidate was asked to write."""
        promises = any(kind == "ensures" for kind, _ in candidate.clauses)
        if candidate.placeholder and promises and self._is_target(given):
            message = f"`{given.path}` has no body, so nothing was written that its contract could be proved of"
            advice = f"write the body of `{given.path}` itself"
            self.findings.append(proof("bodyless_target", given.path, candidate.node.lineno, message, advice))
        self._captured(candidate, given.path)
        self.added.append(Added(given.path, list(candidate.implementation), written=candidate))

    def _captured(self, candidate: Definition, path: str) -> None:
        for name, line in captured(candidate):
            self._find(
                "captured_name",
                path,
                line,
                f"`{name}` is given a new meaning in `{path}`, where the specification means something else by it",
                "choose another name",
            )

    def _changed(self, given: Definition, candidate: Definition) -> None:
        self._find(
            "body_changed",
            given.path,
            candidate.node.lineno,
            f"the body of `{given.path}` differs from the given one",
            f"restore the body of `{given.path}`",
        )

    def _change(self, given: Definition, candidate: Definition, change: Change) -> None:
        old = _short(ast.unparse(change.given)) if change.given else ""
        new = _short(ast.unparse(change.candidate)) if change.candidate else ""
        message, advice = {
            "statement_changed": (f"`{new}` stands where the given has `{old}`", f"restore `{old}`"),
            "statement_added": (
                f"`{new}` was added, and it is executable",
                "remove it; only proof text may be added: Invariant, Assert, Fold, Unfold, calls of proved lemmas",
            ),
            "statement_removed": (f"the given statement `{old}` is gone", f"restore `{old}`"),
            "annotation_removed": (f"the given proof text `{old}` is gone", f"restore `{old}` at its place"),
        }[change.construct]
        line = (change.candidate or change.given or candidate.node).lineno
        self._find(change.construct, given.path, line, f"in `{given.path}`: {message}", advice)


def _plain(body: list[ast.stmt]) -> list[ast.stmt]:
    defining = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [s for s in body if not isinstance(s, defining) and not is_no_op(s)]


def _code(d: Definition) -> list[ast.stmt]:
    """A body without docstrings and ``pass``; a lone ``...`` is one, and means something."""
    if d.trusted:
        return d.implementation
    return [s for s in d.implementation if not is_no_op(s)]


def _bases(d: Definition) -> bool:
    assert isinstance(d.node, ast.ClassDef)
    names = [b.id if isinstance(b, ast.Name) else "" for b in d.node.bases]
    return bool(d.node.keywords) or any(name not in ("object", "Exception") for name in names)


def _dump(s: ast.AST) -> str:
    return ast.dump(s)


def _clause(clause: tuple[str, ast.Expr]) -> tuple[str, str]:
    return clause[0], ast.dump(clause[1])


def _pick(clauses: list[tuple[str, ast.Expr]], wanted: Counter[tuple[str, str]]) -> list[tuple[str, ast.Expr]]:
    left = Counter(wanted)
    picked = []
    for clause in clauses:
        if left[_clause(clause)]:
            left[_clause(clause)] -= 1
            picked.append(clause)
    return picked


def _fresh(name: str, taken: frozenset[str]) -> str:
    stem = name.strip("_") or "helper"
    suffix = 1
    while f"{stem}_helper{suffix}" in taken:
        suffix += 1
    return f"{stem}_helper{suffix}"


def _short(text: str, limit: int = 160) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
