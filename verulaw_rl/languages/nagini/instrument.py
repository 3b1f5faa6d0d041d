"""Checks placed in a program: each formula is asked at its point and tells the rest of the proof nothing.

A check becomes ::

    if _verulaw_site(7):
        Assert(P)
        Assume(False)

where ``_verulaw_site`` is a pure function of ours without a body: the verifier knows nothing of its value, so it
looks at ``P`` on a path of its own that then ends, and each site has a number of its own. A check that reads the
heap where the candidate has no permission fails there, and nowhere else. ``return e`` where a check of the exit
stands becomes an assignment to a variable, the checks, and the return of the variable; parameters that the body
changes are kept from its start, since postconditions speak of them as they were passed.

The program is printed anew from its tree (with ``# type:`` comments): same program, other layout, and no check
ever has to share a line. Where control cannot go nothing is placed: Nagini refuses programs whose dead code has
contracts.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from verulaw_rl.languages.base import FALSE, Check, CheckSite, Instrumented, Span
from verulaw_rl.languages.nagini.program import (
    Body,
    Definition,
    FunctionNode,
    falls_through,
    leading_invariants,
    reachable,
    statements,
)
from verulaw_rl.languages.nagini.source import FILE_NAME, parse_expression
from verulaw_rl.languages.nagini.strip import remove_annotations_at
from verulaw_rl.languages.nagini.view import Reading, read
from verulaw_rl.languages.nagini.words import OURS, blocks, is_no_op, mentions

SITE = f"{OURS}site"
_RESULT = f"{OURS}result_"
_PASSED = f"{OURS}passed_"
_RESULT_WORDS = frozenset({"Result", "ResultT"})
_HELPER = f"""
@Pure
@ContractOnly
def {SITE}(number: int) -> bool:
    pass
"""
_IMPORT = "from nagini_contracts.contracts import Acc, Assert, Assume, ContractOnly, Pure"


@dataclass(frozen=True, slots=True)
class _Asked:
    """One numbered check at one place."""

    number: int
    place: _Place
    formula: ast.expr
    contract: bool
    """The formula is of the contract: it speaks of the result, and of parameters as they were passed."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a check goes: before ``block[index]``, in a definition."""

    definition: Definition
    block: list[ast.stmt]
    index: int
    offset: int

    @property
    def key(self) -> tuple[int, int]:
        return (id(self.block), self.index)

    @property
    def returned(self) -> ast.Return | None:
        """The return statement that the check precedes."""
        s = self.block[self.index] if self.index < len(self.block) else None
        return s if isinstance(s, ast.Return) and s.value is not None else None


def instrument(program: str, checks: tuple[Check, ...], drop: tuple[Span, ...] = ()) -> Instrumented:
    """Place the checks in the program without the annotations at ``drop``."""
    if not checks:
        return Instrumented(remove_annotations_at(program, drop) if drop else program, ())
    reading = read(program)
    everything = tuple(c.id for c in checks)
    if reading.source.tree is None:
        return Instrumented(program, (), everything)
    try:
        return _Instrumenter(reading, drop).run(checks)
    except (ValueError, RecursionError):  # what Python cannot print
        return Instrumented(program, (), everything)


class _Instrumenter:
    def __init__(self, reading: Reading, drop: tuple[Span, ...]) -> None:
        assert reading.source.tree is not None
        self.reading = reading
        self.tree = reading.source.tree
        self.dropped = {(s.start, s.end) for s in drop}
        self._cache: dict[tuple[str, str, int], list[_Place]] = {}
        self._loop_starts: dict[int, list[int]] = {}

    def run(self, checks: tuple[Check, ...]) -> Instrumented:
        copies: dict[int, object] = {}
        tree = copy.deepcopy(self.tree, copies)
        asked: dict[tuple[int, int], list[_Asked]] = {}
        placed: list[tuple[Check, _Place]] = []
        unplaced = []
        for check in checks:
            formula = _formula(check.expression)
            places = self._fitting(check, formula) if formula is not None else []
            if formula is None or not places:
                unplaced.append(check.id)
                continue
            for place in places:
                contract = check.point.kind == "exit"
                asked.setdefault(place.key, []).append(_Asked(len(placed), place, formula, contract))
                placed.append((check, place))
        keep: dict[int, set[str]] = {}
        self._rebuild(copies, asked, keep)
        for d in self.reading.definitions:
            if keep.get(id(d)):
                self._keep_parameters(d, copies, keep[id(d)])
        tree.body += ast.parse(_HELPER).body
        self._import(tree)
        text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        lines = _lines(text)
        sites = tuple(
            CheckSite(check.id, check.declaration, *lines[n], self._loops_before(place))
            for n, (check, place) in enumerate(placed)
            if n in lines
        )
        return Instrumented(text, sites, tuple(unplaced))

    # --- where --------------------------------------------------------------------------------------------------

    def places(self, check: Check) -> list[_Place]:
        """Reachable places of a check's point, in source order."""
        key = (check.declaration, check.point.kind, check.point.index)
        if key not in self._cache:
            d = self.reading.by_path.get(check.declaration)
            found: list[_Place] = []
            if d is not None and d.is_method and not d.trusted:
                body = self.reading.bodies[id(d)]
                found = [
                    self._place(d, block, index)
                    for block, index in _FINDERS[check.point.kind](body, check.point.index)
                    if self._alive(body, block, index)
                ]
            self._cache[key] = found
        return self._cache[key]

    def _fitting(self, check: Check, formula: ast.expr) -> list[_Place]:
        """The places of a check, none where it speaks of a result that not every exit has."""
        places = self.places(check)
        if check.point.kind == "exit" and mentions(formula, _RESULT_WORDS):
            return places if all(place.returned is not None for place in places) else []
        return places

    def _place(self, d: Definition, block: list[ast.stmt], index: int) -> _Place:
        source = self.reading.source
        if index < len(block):
            offset = source.span(block[index]).start
        else:
            offset = source.end(block[-1]) if block else source.end(d.node)
        return _Place(d, block, index, offset)

    def _alive(self, body: Body, block: list[ast.stmt], index: int) -> bool:
        """Whether control can get there, through every block around, and none of them is dropped."""
        around = _ancestry(body.block, block)
        if around is None or any(self._is_dropped(b[i]) for b, i in around):
            return False
        return all(reachable(b, i) for b, i in [*around, (block, index)])

    def _is_dropped(self, s: ast.stmt) -> bool:
        span = self.reading.source.span(s)
        return (span.start, span.end) in self.dropped

    def _loops_before(self, place: _Place) -> tuple[int, ...]:
        d = place.definition
        if id(d) not in self._loop_starts:
            self._loop_starts[id(d)] = [self.reading.source.start(s) for s in self.reading.bodies[id(d)].loops]
        return tuple(k for k, start in enumerate(self._loop_starts[id(d)]) if start < place.offset)

    # --- what ---------------------------------------------------------------------------------------------------

    def _rebuild(
        self,
        copies: dict[int, object],
        asked: dict[tuple[int, int], list[_Asked]],
        keep: dict[int, set[str]],
    ) -> None:
        """Fill the statement lists of the copied tree anew, without what is dropped and with what is asked."""
        for d in self.reading.definitions:
            if not d.is_method:
                continue
            body = self.reading.bodies[id(d)]
            for block in [body.block, *(b for s in statements(body.block) for b in blocks(s))]:
                new: list[ast.stmt] = []
                for index in range(len(block) + 1):
                    at = asked.get((id(block), index), [])
                    old = block[index] if index < len(block) else None
                    result = self._result(d, old, at, new, copies)
                    new += [self._check(d, one, result, keep.setdefault(id(d), set())) for one in at]
                    if old is None:
                        continue
                    if not self._is_dropped(old):
                        s = copies[id(old)]
                        assert isinstance(s, ast.stmt)
                        if result and isinstance(s, ast.Return):
                            s.value = ast.Name(result, ast.Load())
                        new.append(s)
                if block is body.block:
                    node = copies[id(d.node)]
                    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                    node.body[d.head :] = new or ([] if d.head else [ast.Pass()])
                else:
                    copied = copies[id(block)]
                    assert isinstance(copied, list)
                    copied[:] = new or [ast.Pass()]

    def _result(
        self,
        d: Definition,
        old: ast.stmt | None,
        at: list[_Asked],
        new: list[ast.stmt],
        copies: dict[int, object],
    ) -> str:
        """Name of the variable for the returned value, assigned in front of the checks; empty where there is none."""
        if not at or at[0].place.returned is None:
            return ""
        assert isinstance(old, ast.Return)
        s = copies[id(old)]
        assert isinstance(s, ast.Return)
        assert s.value is not None
        name = f"{_RESULT}{at[0].number}"
        target = ast.Name(name, ast.Store())
        returns = _return_type(d.node)
        if returns is None:
            new.append(ast.Assign([target], s.value, lineno=0))
        else:
            new.append(ast.AnnAssign(target, copy.deepcopy(returns), s.value, 1))
        return name

    def _check(self, d: Definition, asked: _Asked, result: str, keep: set[str]) -> ast.stmt:
        """The branch of one check; parameters that must be kept from the start are noted in ``keep``."""
        own = copy.deepcopy(asked.formula)
        if asked.contract:
            changed = _changed_parameters(self.reading.bodies[id(d)])
            renamer = _Renamer(result, {name: _PASSED + name for name in changed})
            own = renamer.visit(own)
            keep |= renamer.used
        test = ast.Call(ast.Name(SITE, ast.Load()), [ast.Constant(asked.number)], [])
        body: list[ast.stmt] = [
            ast.Expr(ast.Call(ast.Name("Assert", ast.Load()), [own], [])),
            ast.Expr(ast.Call(ast.Name("Assume", ast.Load()), [ast.Constant(False)], [])),
        ]
        return ast.If(test, body, [])

    def _keep_parameters(self, d: Definition, copies: dict[int, object], names: set[str]) -> None:
        node = copies[id(d.node)]
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        kept: list[ast.stmt] = [
            ast.Assign([ast.Name(_PASSED + name, ast.Store())], ast.Name(name, ast.Load()), lineno=0)
            for name in sorted(names)
        ]
        node.body[d.head : d.head] = kept

    def _import(self, tree: ast.Module) -> None:
        """Make the words of checks known to the type checker."""
        for s in tree.body:
            contracts = isinstance(s, ast.ImportFrom) and s.module == "nagini_contracts.contracts"
            if contracts and any(a.name == "*" for a in getattr(s, "names", ())):
                return
        at = 0
        while at < len(tree.body) and (
            is_no_op(tree.body[at]) or (isinstance(s := tree.body[at], ast.ImportFrom) and s.module == "__future__")
        ):
            at += 1
        tree.body[at:at] = ast.parse(_IMPORT).body


class _Renamer(ast.NodeTransformer):
    """Puts the returned value for ``Result()``, and parameters as passed for parameters that the body changes."""

    def __init__(self, result: str, passed: dict[str, str]) -> None:
        self.result = result
        self.passed = passed
        self.used: set[str] = set()

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if self.result and name in _RESULT_WORDS:
            return ast.Name(self.result, ast.Load())
        return self.generic_visit(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        bound = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        outer = self.passed
        self.passed = {k: v for k, v in outer.items() if k not in bound}
        node.body = self.visit(node.body)
        self.passed = outer
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.passed and isinstance(node.ctx, ast.Load):
            self.used.add(node.id)
            return ast.Name(self.passed[node.id], ast.Load())
        return node


def _formula(text: str) -> ast.expr | None:
    if text == FALSE:
        return ast.Constant(False)
    e = parse_expression(text)
    if isinstance(e, ast.Tuple):
        return _of_named_result(e)
    return e


def _of_named_result(e: ast.Tuple) -> ast.expr | None:
    """``T, lambda r: P`` as ``P`` of ``Result()``."""
    if len(e.elts) != 2 or not isinstance(e.elts[1], ast.Lambda) or len(e.elts[1].args.args) != 1:
        return None
    name = e.elts[1].args.args[0].arg

    class Named(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            if node.id == name:
                return ast.Call(ast.Name("Result", ast.Load()), [], [])
            return node

    named: ast.expr = Named().visit(e.elts[1].body)
    return named


def _return_type(node: FunctionNode | ast.ClassDef) -> ast.expr | None:
    if isinstance(node, ast.ClassDef):
        return None
    if node.returns is not None:
        return node.returns
    if node.type_comment:
        try:
            return ast.parse(node.type_comment, FILE_NAME, mode="func_type").returns
        except (SyntaxError, ValueError):
            return None
    return None


def _changed_parameters(body: Body) -> frozenset[str]:
    """Parameters that the implementation assigns."""
    node = body.definition.node
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    parameters = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
    stored = {
        n.id for s in body.block for n in ast.walk(s) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    }
    return frozenset(parameters & stored)


def _ancestry(block: list[ast.stmt], wanted: list[ast.stmt]) -> list[tuple[list[ast.stmt], int]] | None:
    """Blocks around a block with the index of the statement that it is in; ``None`` if it is not below."""
    if block is wanted:
        return []
    for index, s in enumerate(block):
        for inner in blocks(s):
            found = _ancestry(inner, wanted)
            if found is not None:
                return [(block, index), *found]
    return None


# --- the places of each kind of point ------------------------------------------------------------------------------

_Found = Iterator[tuple[list[ast.stmt], int]]


def _entry(body: Body, index: int) -> _Found:
    yield body.block, 0


def _exit(body: Body, index: int) -> _Found:
    for v in body.visits:
        if isinstance(v.node, ast.Return):
            yield v.block, v.index
    if falls_through(body.block):
        yield body.block, len(body.block)


def _loop_head(body: Body, index: int) -> _Found:
    if index < len(body.loops):
        loop = body.loops[index]
        yield loop.body, leading_invariants(loop)


def _after_loop(body: Body, index: int) -> _Found:
    if index < len(body.loops):
        loop = body.loops[index]
        for v in body.visits:
            if v.node is loop:
                yield v.block, v.index + 1


def _token(body: Body, index: int) -> _Found:
    if index < len(body.slots):
        yield body.slots[index].block, body.slots[index].index


def _calls(body: Body, index: int) -> _Found:
    for v in body.visits:
        if isinstance(v.node, ast.Expr) and isinstance(v.node.value, ast.Call) and v.loop is None:
            yield v.block, v.index + 1


_FINDERS: dict[str, Callable[[Body, int], _Found]] = {
    "entry": _entry,
    "exit": _exit,
    "loop_head": _loop_head,
    "after_loop": _after_loop,
    "token": _token,
    "calls": _calls,
}


def _lines(text: str) -> dict[int, tuple[int, int]]:
    """First and last line of each numbered check."""
    out = {}
    for n in ast.walk(ast.parse(text, FILE_NAME)):
        if isinstance(n, ast.If) and isinstance(n.test, ast.Call) and isinstance(n.test.func, ast.Name):
            argument = n.test.args[0] if n.test.func.id == SITE and n.test.args else None
            if isinstance(argument, ast.Constant) and isinstance(argument.value, int) and n.end_lineno is not None:
                out[argument.value] = (n.lineno, n.end_lineno)
    return out
