"""Runs a program in the sandbox: its contracts taken out, the contract library as no-ops, then the calls.

Part of no package there: started by its path beside ``program.py``, ``calls.py`` and ``noop_contracts.py``. What the
program prints is its own; an exception goes to the error stream, without paths, and the exit status is 1.
"""

from __future__ import annotations

import ast
import sys
from types import ModuleType

MODULES = ("contracts", "obligations", "io_contracts", "io_builtins", "thread", "lock", "adt")
PROOF = frozenset(
    {
        *("Requires", "Ensures", "Exsures", "Invariant", "Decreases"),
        *("Assume", "Assert", "Refute", "Fold", "Unfold", "Open", "Terminates", "TerminationMeasure"),
    }
)
"""Calls that are statements of proof: nothing of them is executed, not even their arguments."""


class WithoutProof(ast.NodeTransformer):
    """Takes proof out of a program.

    Args:
        own: names that the program defines itself, which are not the library's.
    """

    def __init__(self, own: frozenset[str]) -> None:
        self._own = own

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """A statement of proof becomes ``pass``."""
        if self._is(node.value, PROOF):
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """``Implies`` stops at a false premise; ``Unfolding`` is its second argument."""
        self.generic_visit(node)
        if len(node.args) == 2 and not node.keywords:
            if self._is(node, frozenset({"Implies"})):
                premise = ast.copy_location(ast.UnaryOp(ast.Not(), node.args[0]), node)
                return ast.copy_location(ast.BoolOp(ast.Or(), [premise, node.args[1]]), node)
            if self._is(node, frozenset({"Unfolding"})):
                return node.args[1]
        return node

    def _is(self, node: ast.AST, names: frozenset[str]) -> bool:
        named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names
        return named and node.func.id not in self._own  # type: ignore[attr-defined]


def without_proof(source: str, file: str, own: frozenset[str] = frozenset()) -> ast.Module:
    """A program's syntax tree with its proof taken out.

    Raises:
        SyntaxError, ValueError: it is no Python.
    """
    tree = ast.parse(source, file)
    defined = {n.name for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    changed: ast.Module = WithoutProof(own | defined).visit(tree)
    return ast.fix_missing_locations(changed)


def main() -> None:
    """Run ``program.py`` and then ``calls.py``."""
    library = _module("noop_contracts", _read("noop_contracts.py"))
    package = ModuleType("nagini_contracts")
    package.__path__ = []
    sys.modules["nagini_contracts"] = package
    for name in MODULES:
        setattr(package, name, library)
        sys.modules[f"nagini_contracts.{name}"] = library
    main_module = sys.modules["__main__"] = ModuleType("__main__")
    sys.argv = ["program.py"]
    try:
        for file in ("program.py", "calls.py"):
            tree = without_proof(_read(file), file)
            exec(compile(tree, file, "exec"), main_module.__dict__)
    except SystemExit:
        raise
    except BaseException as e:
        sys.stdout.flush()
        _say(e)
        sys.exit(1)


def _read(name: str) -> str:
    with open(name, encoding="utf-8", errors="surrogatepass", newline="") as f:
        return f.read()


def _module(name: str, source: str) -> ModuleType:
    module = sys.modules[name] = ModuleType(name)
    exec(compile(source, f"{name}.py", "exec"), module.__dict__)
    return module


def _say(error: BaseException) -> None:
    """The exception, and the lines of the program on its way, innermost last; no paths."""
    where = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename in ("program.py", "calls.py"):
            of = "of the calls" if code.co_filename == "calls.py" else f"in {code.co_name}"
            where.append(f"line {trace.tb_lineno} {of}")
        trace = trace.tb_next
    shown = where if len(where) <= 8 else [*where[:4], "...", *where[-4:]]
    text = f"{type(error).__name__}: {error}"[:400]
    print(text + (f" ({', '.join(shown)})" if shown else ""), file=sys.stderr)


if __name__ == "__main__":
    main()
