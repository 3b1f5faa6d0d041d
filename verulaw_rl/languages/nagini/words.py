"""The words of Nagini's contract language: which calls state, prove, or may not be written by a candidate.

Nagini knows contract functions by their bare name, whatever was imported as what; ``ast`` has already put
identifiers into Python's normal form (NFKC), so that look-alike letters make no difference here.
"""

from __future__ import annotations

import ast

from verulaw_rl.languages.lexed import words

HEAD = {
    "Requires": "requires",
    "Ensures": "ensures",
    "Exsures": "exsures",
    "Decreases": "decreases",
    "Terminates": "terminates",
    "TerminationMeasure": "termination measure",
    "TerminatesSif": "terminates sif",
}
"""Calls that stand at the head of a function, and the kind of clause that each makes."""

PROOF_CALLS = frozenset({"Invariant", "Assert", "Refute", "Fold", "Unfold", "Reveal", "Assume", "Declassify", "Open"})
"""Calls that, as statements, leave nothing in the program that runs."""

STRIPPED_CALLS = frozenset({"Invariant", "Assert", "Refute", "Fold", "Unfold", "Reveal"})
"""Those that benchmarks remove."""

OBLIGATIONS = frozenset({"MustTerminate", "MustRelease", "token", "ctoken", "MustInvoke"})
"""Promises to do something; they are kept or broken, but are no facts that could be asserted."""

ASSERTION_WORDS = words(
    """
    Old Result ResultT RaisedException Implies Let Forall Forall2 Forall3 Forall4 Forall5 Forall6 Exists Acc Rd
    Wildcard ARP Unfolding Previous PSeq PSet PMultiset ToSeq ToMS MaySet MayCreate Low LowVal LowEvent LowExit
    isNaN list_pred set_pred dict_pred MustTerminate MustRelease Joinable MayStart getMethod getArg getOld arg
    """
)
"""Words of formulas; they have a meaning in every program."""

DECORATORS = words(
    """
    Pure Predicate ContractOnly Ghost GhostReturns Opaque Inline AllLow PreservesLow IOOperation staticmethod
    classmethod property
    """
)

BUILT_INS = words(
    """
    abs min max sum len sorted list set dict tuple range enumerate zip map filter any all int bool str float bytes
    object type isinstance issubclass super print cast Exception BaseException ValueError TypeError IndexError
    KeyError AssertionError List Set Dict Tuple Optional Union FrozenSet Callable Generic TypeVar Any Iterable
    Iterator Sequence repr hash id iter next reversed round pow divmod ord chr bin hex slice property staticmethod
    classmethod callable getattr setattr hasattr delattr vars dir input open eval exec compile globals locals
    """
)
"""Names that mean something in every program, and that contracts may use."""

OURS = "_verulaw_"
"""Start of the names that our own checks bring in; no proof text of a candidate."""

CONTRACT_WORDS = frozenset(HEAD) | PROOF_CALLS | OBLIGATIONS | ASSERTION_WORDS | DECORATORS

PURE_BUILT_INS = words(
    """
    len abs min max int bool isinstance cast range ToSeq ToMS PSeq PSet PMultiset sum tuple
    """
)
"""Calls without any effect, and therefore fit for proof text."""

PURE_METHODS = frozenset({"take", "drop", "num"})
"""Methods of the contract library's sequences and multisets that nothing mutable has, too."""


def call_name(node: ast.AST) -> str | None:
    """The bare name that a call calls."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None


def statement_call(node: ast.stmt) -> str | None:
    """The bare name that a call statement calls."""
    return call_name(node.value) if isinstance(node, ast.Expr) else None


def clause_kind(node: ast.stmt) -> str | None:
    """Kind of the contract clause that a statement is, or ``None``."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return None
    inner = node.value.func
    if isinstance(inner, ast.Call) and (call_name(inner) or "").startswith("IOExists"):
        return "io exists"
    return HEAD.get(call_name(node.value) or "")


def is_no_op(node: ast.stmt) -> bool:
    """``pass``, ``...``, a docstring: text that states and does nothing."""
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def is_docstring(node: ast.stmt) -> bool:
    """A statement that is a string alone."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def is_ellipsis(node: ast.stmt) -> bool:
    """The statement ``...``."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ...


def decorators(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> frozenset[str]:
    """Bare names of the decorators, those with arguments included."""
    out = set()
    for d in node.decorator_list:
        name = d.func if isinstance(d, ast.Call) else d
        out.add(name.id if isinstance(name, ast.Name) else ast.unparse(name))
    return frozenset(out)


def mentions(node: ast.AST, words: frozenset[str]) -> bool:
    """Whether one of the words occurs as a name."""
    return any(isinstance(n, ast.Name) and n.id in words for n in ast.walk(node))


def blocks(node: ast.stmt) -> list[list[ast.stmt]]:
    """Lists of statements inside a statement, in source order; none for definitions."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return []
    out = [getattr(node, "body", None)]
    out += [h.body for h in getattr(node, "handlers", ())]
    out += [c.body for c in getattr(node, "cases", ())]
    out += [getattr(node, "orelse", None), getattr(node, "finalbody", None)]
    return [block for block in out if block]


def header_expressions(node: ast.stmt) -> list[ast.AST]:
    """What a statement evaluates itself, apart from the statements inside it."""
    inside = {id(s) for block in blocks(node) for s in block}
    return [child for child in ast.iter_child_nodes(node) if id(child) not in inside]
