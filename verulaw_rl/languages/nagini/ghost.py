"""Which statements of a body are proof text: what they do cannot be seen when the program runs.

* calls of the contract language (``Invariant``, ``Assert``, ``Fold``, ``Unfold``, ...) and ``assert``, which is proved;
* calls of *ghost methods*: methods with postconditions that hold nothing but proof text (lemmas in the manner of
  Nagini), by simple name, and only if no other method of that name does more;
* assignments to *ghost variables*: locals that nothing but proof text reads, of values that have no effect;
* an ``if`` that holds nothing else, whose condition has no effect.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from verulaw_rl.languages.nagini.program import LOOPS, Definition, statements
from verulaw_rl.languages.nagini.words import (
    ASSERTION_WORDS,
    OURS,
    PROOF_CALLS,
    PURE_BUILT_INS,
    PURE_METHODS,
    blocks,
    header_expressions,
    is_no_op,
    statement_call,
)


@dataclass(frozen=True, slots=True)
class Names:
    """What calls of simple names do, as far as the file says."""

    pure: frozenset[str]
    """Names that only pure functions and predicates of the file have."""
    ghost: frozenset[str]
    """Names that only ghost methods of the file have."""
    methods: frozenset[str]
    """Names of methods and constructors, and of classes."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Proof text of one implementation."""

    nodes: frozenset[int]
    """``id`` of each statement that is proof text as a whole."""
    variables: frozenset[str]
    """Ghost variables."""


def collect_names(found: Iterable[Definition]) -> Names:
    """The name tables of a file."""
    found = list(found)
    pure = {d.name for d in found if d.kind in ("function", "predicate")}
    methods = {d.name for d in found if d.is_method or d.kind == "class"}
    pure -= methods
    # The largest set that holds together: a lemma may call itself (its own proof must then say why that ends).
    ghost = {d.name for d in found if _may_be_ghost(d)}
    while True:
        names = Names(frozenset(pure), frozenset(ghost), frozenset(methods))
        left = {d.name for d in found if d.name in ghost and not (_may_be_ghost(d) and _is_ghost(d, names))}
        if not left:
            return names
        ghost -= left


def _may_be_ghost(d: Definition) -> bool:
    if d.kind == "class" or not d.is_method:
        return False
    if "Ghost" in d.marks:
        return True
    has_postcondition = any(kind == "ensures" for kind, _ in d.clauses)
    returns = d.node.returns if isinstance(d.node, ast.FunctionDef) else None
    result = ast.unparse(returns) if returns is not None else ""
    nothing_told = result in ("None", "bool")
    return d.kind == "method" and not d.trusted and has_postcondition and nothing_told and d.name[:2] != "__"


def _is_ghost(d: Definition, names: Names) -> bool:
    if "Ghost" in d.marks:
        return True
    proof = proof_text(d, names, whole=True)
    return all(_leaves_nothing(s, proof) for s in statements(d.implementation))


def _leaves_nothing(s: ast.stmt, proof: Proof) -> bool:
    if id(s) in proof.nodes or is_no_op(s):
        return True
    if isinstance(s, ast.Return):
        return s.value is None or (isinstance(s.value, ast.Constant) and s.value.value in (None, True))
    return isinstance(s, ast.If)  # its content is looked at by itself


def proof_text(d: Definition, names: Names, *, whole: bool = False) -> Proof:
    """The proof text of a definition's implementation.

    Args:
        d: a method.
        names: of the file.
        whole: only tell which statements would be proof text if all of it were.
    """
    block = d.implementation
    if d.is_method and not whole and d.name in names.ghost:
        return Proof(frozenset(id(s) for s in statements(block)), frozenset())
    variables = _candidates(d, block, names)
    while True:
        nodes: set[int] = set()
        for s in block:
            _mark(s, names, variables, nodes)
        read = {
            n.id
            for s in statements(block)
            if id(s) not in nodes
            for e in header_expressions(s)
            for n in ast.walk(e)
            if isinstance(n, ast.Name)
        }
        if not variables & read:
            return Proof(frozenset(nodes), frozenset(variables))
        variables -= read


def _candidates(d: Definition, block: list[ast.stmt], names: Names) -> set[str]:
    """Locals that are only ever assigned effect-free values, one at a time."""
    arguments = getattr(d.node, "args", None)
    parameters = {a.arg for a in ast.walk(arguments) if isinstance(a, ast.arg)} if arguments else set()
    good: set[str] = set()
    bad = set(parameters)
    for s in statements(block):
        target = assigned_name(s)
        if target is not None and not target.startswith(OURS) and effect_free(assigned_value(s), names):
            good.add(target)
            continue
        if isinstance(s, ast.Global | ast.Nonlocal):
            bad.update(s.names)
        for e in header_expressions(s):
            bad.update(n.id for n in ast.walk(e) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
    return good - bad


def assigned_name(s: ast.stmt) -> str | None:
    """The one local that a statement assigns, if that is what it does."""
    if isinstance(s, ast.Assign) and len(s.targets) == 1:
        target: ast.expr = s.targets[0]
    elif isinstance(s, ast.AnnAssign | ast.AugAssign):
        target = s.target
    else:
        return None
    return target.id if isinstance(target, ast.Name) else None


def assigned_value(s: ast.stmt) -> ast.expr | None:
    """The value that an assignment assigns."""
    return s.value if isinstance(s, ast.Assign | ast.AnnAssign | ast.AugAssign) else None


def last_name(called: ast.expr) -> str:
    """Simple name of what is called: ``f`` of ``f`` and of ``a.f``."""
    if isinstance(called, ast.Name):
        return called.id
    return called.attr if isinstance(called, ast.Attribute) else ""


def effect_free(e: ast.AST | None, names: Names) -> bool:
    """Whether evaluating an expression does nothing but give a value."""
    if e is None:
        return True
    for n in ast.walk(e):
        if isinstance(n, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.ListComp | ast.GeneratorExp):
            return False
        if isinstance(n, ast.Call):
            name = last_name(n.func)
            if isinstance(n.func, ast.Attribute) and name in PURE_METHODS - names.methods:
                continue
            known = name in names.pure or (
                isinstance(n.func, ast.Name) and name in PURE_BUILT_INS | ASSERTION_WORDS and name not in names.methods
            )
            if not known:
                return False
    return True


_BINDING = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)


def states(s: ast.stmt, names: Names) -> bool:
    """Whether a statement states something and does nothing: a call of the contract language, or an ``assert``.

    Nagini itself refuses formulas of the contract language that have an effect; the formula of an ``assert`` is
    ordinary Python.
    """
    if isinstance(s, ast.Assert):
        return effect_free(s.test, names) and effect_free(s.msg, names)
    return statement_call(s) in PROOF_CALLS and not any(isinstance(n, _BINDING) for n in ast.walk(s))


def ghost_call(s: ast.stmt, names: Names) -> bool:
    """Whether a statement calls a ghost method and does nothing else."""
    if not isinstance(s, ast.Expr) or not isinstance(s.value, ast.Call):
        return False
    called = s.value.func
    name = last_name(called)
    arguments = [*s.value.args, *(k.value for k in s.value.keywords)]
    receiver = called.value if isinstance(called, ast.Attribute) else None
    return name in names.ghost and effect_free(receiver, names) and all(effect_free(a, names) for a in arguments)


def _mark(s: ast.stmt, names: Names, variables: set[str], nodes: set[int]) -> bool:
    """Mark a statement and those in it; whether it is proof text or does nothing at all."""
    inside = [[_mark(inner, names, variables, nodes) for inner in block] for block in blocks(s)]
    if is_no_op(s):
        return True
    proof = False
    if states(s, names):
        proof = True
    elif isinstance(s, ast.If):
        something = any(id(inner) in nodes for block in blocks(s) for inner in block)
        proof = something and all(all(block) for block in inside) and effect_free(s.test, names)
    elif not isinstance(s, LOOPS):
        proof = ghost_call(s, names) or (
            assigned_name(s) in variables and assigned_value(s) is not None and effect_free(assigned_value(s), names)
        )
    if proof:
        nodes.add(id(s))
    return proof
