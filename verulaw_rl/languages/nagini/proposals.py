"""Loop invariants to try in a Nagini program, from templates: permissions first, as the rest reads the heap. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from verulaw_rl.languages.base import DeclarationView, LoopProposals, LoopView, ProgramView
from verulaw_rl.languages.nagini.program import LOOPS, FunctionNode
from verulaw_rl.languages.nagini.view import read
from verulaw_rl.languages.templates import bounds, comparisons, counted, partly

_LISTS = ("List", "list")


def proposals(program: ProgramView) -> tuple[LoopProposals, ...]:
    """For each loop: permissions, bounds, what the contract says, and what it says of the part that is done."""
    reading = read(program.source)
    nodes = {d.path: d.node for d in reading.definitions if d.is_method}
    out = []
    for declaration in program.declarations:
        node = nodes.get(declaration.path)
        if not isinstance(node, FunctionNode):
            continue
        for loop in declaration.loops:
            if loop.body is None:
                continue
            has = {c.expression for c in loop.clauses}
            wanted = dict.fromkeys(e for e in _expressions(program, declaration, node, loop) if e not in has)
            line_start = program.source.rfind("\n", 0, loop.body.start) + 1
            margin = program.source[line_start : loop.body.start]
            if margin.strip():  # a body on the line of its loop
                continue
            lines = tuple(f"Invariant({e})\n{margin}" for e in wanted)
            out.append(LoopProposals(loop.body.start, lines))
    return tuple(out)


def _expressions(
    program: ProgramView, declaration: DeclarationView, node: FunctionNode, loop: LoopView
) -> Iterator[str]:
    parameters = {a.arg: a.annotation for a in node.args.args}
    lists = [name for name, kind in parameters.items() if _is_list(kind)]
    integers = [name for name, kind in parameters.items() if isinstance(kind, ast.Name) and kind.id == "int"]
    made = []
    for name, kind, value in _assigned(node, loop.line):
        if _is_list(kind) or isinstance(value, ast.List | ast.ListComp):
            made.append(name)
        elif isinstance(value, ast.Constant) and type(value.value) is int:
            integers.append(name)
    requires = [c.expression for c in declaration.clauses if c.kind == "requires"]
    ensures = [_with_result(c.expression, node) for c in declaration.clauses if c.kind == "ensures"]
    guard = list(comparisons(_guard(node, loop.line)))
    pairs = [(bound, counter) for bound, counter in counted(guard) if counter in integers]

    yield from requires
    yield from (f"Acc(list_pred({name}))" for name in made)
    for comparison in guard:
        yield from bounds(comparison)
    yield from (f"0 <= {name}" for name in dict.fromkeys(integers))
    yield from (f"ToSeq({name}) == Old(ToSeq({name}))" for name in lists)
    yield from (f"len({name}) == Old(len({name}))" for name in lists)
    yield from (f"len({name}) == {counter}" for name in made for _, counter in pairs)
    yield from ensures
    yield from partly(ensures, pairs)


def _is_list(annotation: ast.expr | None) -> bool:
    return (
        isinstance(annotation, ast.Subscript)
        and isinstance(annotation.value, ast.Name)
        and annotation.value.id in _LISTS
    )


def _assigned(node: FunctionNode, line: int) -> Iterator[tuple[str, ast.expr | None, ast.expr | None]]:
    """Name, type and first value of the locals assigned before a line."""
    seen = set()
    for s in ast.walk(node):
        if not isinstance(s, ast.AnnAssign | ast.Assign) or s.lineno >= line:
            continue
        targets = [s.target] if isinstance(s, ast.AnnAssign) else s.targets
        for target in targets:
            if isinstance(target, ast.Name) and target.id not in seen:
                seen.add(target.id)
                yield target.id, s.annotation if isinstance(s, ast.AnnAssign) else None, s.value


def _guard(node: FunctionNode, line: int) -> str:
    """The guard of the ``while`` on a line; empty for other loops."""
    loop = next((s for s in ast.walk(node) if isinstance(s, LOOPS) and s.lineno == line), None)
    return ast.unparse(loop.test) if isinstance(loop, ast.While) else ""


def _with_result(expression: str, node: FunctionNode) -> str:
    """A promise with the name that the method returns in place of ``Result()``."""
    returned = {s.value.id for s in ast.walk(node) if isinstance(s, ast.Return) and isinstance(s.value, ast.Name)}
    return expression.replace("Result()", returned.pop()) if len(returned) == 1 else expression
