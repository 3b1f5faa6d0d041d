"""Ways around the verifier, searched on the tree in text that the given does not have.

Nagini takes on trust what ``Assume`` says, contracts of ``@ContractOnly`` functions and of pure functions that are
only ``...``, contracts of imported modules, and everything behind a loop or a recursion that does not end, since it
proves partial correctness unless ``MustTerminate`` or ``Decreases`` asks for more. So a candidate's own functions must
not call each other in a circle without one of these, and its loops must be able to end: something in them has to
change what their condition reads. That a loop *does* end is not claimed; only running it, or ``MustTerminate``, tells.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from verulaw_rl.languages.base import Finding, FindingKind
from verulaw_rl.languages.nagini.program import Definition, leaves, statements
from verulaw_rl.languages.nagini.source import Source
from verulaw_rl.languages.nagini.view import Reading, names_of
from verulaw_rl.languages.nagini.words import DECORATORS, call_name, header_expressions

FORBIDDEN = {
    "Assume": "assume",
    "Declassify": "declassify",
    "IOOperation": "io_model",
    "Terminates": "io_model",
    "Open": "io_model",
    "GetGhostOutput": "io_model",
    "IOExists": "io_model",
    "IOForall": "io_model",
    "Thread": "threads",
    "Lock": "threads",
}
"""Words that a candidate may not write, and what the finding is called."""
ALLOWED_MODULES = frozenset({"typing", "nagini_contracts.contracts", "nagini_contracts.obligations", "abc"})
_ADVICE = {
    "assume": "remove `Assume`; prove the fact with `Assert`, an invariant or a helper that is itself proved",
    "declassify": "remove `Declassify`",
    "io_model": "remove the input-output contract; it is believed, not proved",
    "threads": "remove it; what threads and locks promise is only partly proved",
}


@dataclass(slots=True)
class Added:
    """Text of the candidate that the given does not have, in one definition or at module level."""

    path: str
    nodes: list[ast.AST] = field(default_factory=list)
    """Statements and clauses that are new."""
    definition: Definition | None = None
    """The definition that is new as a whole."""
    written: Definition | None = None
    """The given definition whose body the candidate wrote."""


def find_escapes(reading: Reading, added: Iterable[Added]) -> Iterator[Finding]:
    """Escapes in added text."""
    added = list(added)
    for one in added:
        for node in one.nodes:
            yield from _words(one.path, node)
            inside = node.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else [node]
            for s in statements([s for s in inside if isinstance(s, ast.stmt)]):
                yield from _endless(one.path, s)
        d = one.definition
        if d is not None:
            yield from _definition(d)
    own = {id(d) for one in added for d in (one.definition, one.written) if d is not None}
    yield from _recursion(reading, own)


def all_escapes(reading: Reading) -> Iterator[Finding]:
    """Escapes of a whole program, whoever wrote it.

    Recursion and loops without a proof that they end are none: Nagini does not claim to have proved that.
    """
    tree = reading.source.tree
    if tree is None:
        return
    yield from coding(reading.source)
    yield from ignored_types(reading.source, frozenset())
    for s in tree.body:
        if isinstance(s, ast.Import | ast.ImportFrom) and not allowed_import(s):
            yield _import(s)
    yield from _words("", tree)
    for d in reading.definitions:
        yield from _definition(d)


def allowed_import(s: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import brings in nothing that is believed without proof."""
    if isinstance(s, ast.Import):
        return all(a.name in ALLOWED_MODULES for a in s.names)
    return s.level == 0 and (s.module or "") in ALLOWED_MODULES


def _import(s: ast.Import | ast.ImportFrom) -> Finding:
    return proof(
        "import",
        "",
        s.lineno,
        f"`{ast.unparse(s)}` brings in functions whose contracts are believed without proof",
        "remove the import; only typing and nagini_contracts may be imported",
    )


def proof(construct: str, path: str, line: int, message: str, advice: str) -> Finding:
    """A proof finding."""
    return Finding(FindingKind.PROOF, construct, path, line, message, advice)


def coding(source: Source) -> Iterator[Finding]:
    """A declared encoding other than UTF-8, in which the tool reads another program than we do."""
    if source.coding is not None:
        line, name = source.coding
        yield proof("coding", "", line, f"the file declares the encoding {name!r}", "remove the declaration; use UTF-8")


def ignored_types(source: Source, known: frozenset[str]) -> Iterator[Finding]:
    """``# type: ignore`` comments on lines that the given does not have so."""
    if source.tree is None:
        return
    lines = source.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for ignore in source.tree.type_ignores:
        if ignore_key(lines[ignore.lineno - 1]) not in known:
            yield proof(
                "type_ignore",
                "",
                ignore.lineno,
                "`# type: ignore` switches the type check of its line off",
                "remove the comment and give the types that the line needs",
            )


def ignore_key(line: str) -> str:
    """What identifies the line of a ``# type: ignore`` comment."""
    return "".join(line.split())


def _words(path: str, node: ast.AST) -> Iterator[Finding]:
    for n in ast.walk(node):
        if isinstance(n, ast.Name | ast.Attribute):
            name = n.id if isinstance(n, ast.Name) else n.attr
            word = "IOExists" if name.startswith("IOExists") else name
            if word in FORBIDDEN:
                construct = FORBIDDEN[word]
                yield proof(construct, path, n.lineno, f"`{name}` is believed without proof", _ADVICE[construct])
        if isinstance(n, ast.Call) and call_name(n) == "Decreases":
            yield from _measure(path, n)


def _measure(path: str, n: ast.Call) -> Iterator[Finding]:
    advice = "give one measure that goes down with each call: `Decreases(n)`"
    if n.args and isinstance(n.args[0], ast.Constant) and n.args[0].value is None:
        yield proof("decreases_none", path, n.lineno, "`Decreases(None)` gives up the proof of termination", advice)
    if len(n.args) + len(n.keywords) > 1:
        message = "a conditional measure is required only where its condition holds"
        yield proof("decreases_condition", path, n.lineno, message, advice)


def _definition(d: Definition) -> Iterator[Finding]:
    node, path = d.node, d.path
    if "ContractOnly" in d.marks:
        message = f"`@ContractOnly` makes the contract of `{path}` believed without proof"
        yield proof("contract_only", path, node.lineno, message, "remove the decorator and write a body that is proved")
    elif d.is_function and d.trusted:
        message = f"the pure function `{path}` has no body but `...`, so its contract is believed without proof"
        yield proof("bodyless_declaration", path, node.lineno, message, "write its body")
    for mark in sorted(d.marks - DECORATORS):
        message = f"the decorator `@{mark}` makes what runs another thing than what is verified"
        yield proof("decorator", path, node.lineno, message, f"remove `@{mark}`")


def _endless(path: str, s: ast.stmt) -> Iterator[Finding]:
    """A loop that cannot end: nothing that its condition reads changes in it, and nothing leaves it."""
    if not isinstance(s, ast.While):
        return
    if leaves(s) or any(isinstance(inner, ast.Return | ast.Raise) for inner in statements(s.body)):
        return
    if any(_promises(inner) for inner in s.body):
        return
    constant = isinstance(s.test, ast.Constant)
    if constant or not _may_change(s):
        what = "never ends" if constant else "never ends once entered: nothing in it changes its condition"
        yield proof(
            "endless_loop",
            path,
            s.lineno,
            f"the loop {what}, so that what stands behind it is proved of nothing",
            "let each round come closer to the end of the loop",
        )


def _promises(s: ast.stmt) -> bool:
    return isinstance(s, ast.Expr) and any(isinstance(n, ast.Name) and n.id == "MustTerminate" for n in ast.walk(s))


def _may_change(loop: ast.While) -> bool:
    """Whether the body assigns, or may change through the heap, something that the condition reads."""
    reads = {n.id for n in ast.walk(loop.test) if isinstance(n, ast.Name)}
    heap = any(isinstance(n, ast.Attribute | ast.Subscript | ast.Call) for n in ast.walk(loop.test))
    for s in statements(loop.body):
        for e in header_expressions(s):
            for n in ast.walk(e):
                stored = isinstance(getattr(n, "ctx", None), ast.Store | ast.Del)
                if isinstance(n, ast.Name) and stored and n.id in reads:
                    return True
                if heap and stored and isinstance(n, ast.Attribute | ast.Subscript):
                    return True
                if heap and isinstance(n, ast.Call) and call_name(n) not in _NO_CHANGE:
                    return True
    return False


_NO_CHANGE = frozenset({"Invariant", "Assert", "Acc", "list_pred", "set_pred", "dict_pred", "len", "Forall", "Exists"})
_NO_CHANGE |= frozenset({"Implies", "Old", "Fold", "Unfold", "Unfolding", "abs", "min", "max", "int", "range", "ToSeq"})


def _recursion(reading: Reading, own: set[int]) -> Iterator[Finding]:
    """Functions and methods of the candidate that can call themselves without a proof that this ends."""
    for d in reading.definitions:
        if id(d) not in own or d.path not in reading.recursive or d.must_end or d.kind == "predicate":
            continue
        if d.kind == "function":
            advice = "state what goes down with each call: `Decreases(n)` behind its other contracts"
        else:
            advice = (
                "use a loop, or a helper of your own that promises to end: "
                "`Requires(MustTerminate(n + 1))`, with a smaller measure at each call"
            )
        yield proof(
            "unproved_recursion",
            d.path,
            d.node.lineno,
            f"`{d.path}` can call itself without a proof that this ends, so it could prove anything",
            advice,
        )


def mentioned(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Names and attributes in some trees."""
    return frozenset(name for node in nodes for name in names_of(node))
