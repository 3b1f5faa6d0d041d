"""Runs a Nagini program under plain Python in the sandbox, its contracts taken out (``runner``).

Python and its standard library only: nothing that is installed beside them, Nagini included, can be imported.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path

from verulaw_rl.verification.execution import ExecutionLimits, Outcome, RunResult
from verulaw_rl.verification.nagini.find import NaginiTool
from verulaw_rl.verification.sandbox import Policy, Sandbox

PYTHON_ADDRESS_SPACE_BYTES = 2**28
"""The least that Python starts in, whatever limit of memory a caller asks for."""


@lru_cache
def _shipped() -> dict[str, bytes]:
    here = Path(__file__)
    return {name: here.with_name(name).read_bytes() for name in ("runner.py", "noop_contracts.py")}


def nothing_to_run(program: str, calls: str) -> str:
    """Why there is nothing that could run: no Python, or no statement that would be executed. Empty if there is."""
    for text, what in ((program, ""), (calls, " of the calls")):
        try:
            tree = ast.parse(text)
        except SyntaxError as e:
            return f"line {e.lineno}{what}: {e.msg}"
        except (ValueError, RecursionError, MemoryError) as e:
            return f"the text{what} cannot be read: {e}"
        if any(not isinstance(s, _DEFINITIONS) and not _docstring(s) for s in tree.body):
            return ""
    return "nothing to run: give the statements to execute"


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Pass)


def _docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def execute_nagini(tool: NaginiTool, sandbox: Sandbox, program: str, calls: str, limits: ExecutionLimits) -> RunResult:
    """Run ``calls`` (statements) after a program; without calls, the program as it is."""
    wrong = nothing_to_run(program, calls)
    if wrong:
        return RunResult("rejected", "", wrong, sandbox=sandbox.mode)
    texts = {"program.py": program, "calls.py": calls}
    policy = Policy(
        memory_bytes=limits.memory_bytes,
        address_space_bytes=max(limits.memory_bytes, PYTHON_ADDRESS_SPACE_BYTES),
        output_bytes=limits.output_bytes,
        processes=limits.processes,
        check_every_s=0.05,
        readable=tool.readable,
        files=_shipped() | {name: text.encode("utf-8", "surrogatepass") for name, text in texts.items()},
    )
    # -I -S: neither the environment nor installed packages; -u: what was printed is there when a limit ends it.
    done = sandbox.start([str(tool.python), "-I", "-S", "-B", "-u", "-X", "utf8", "runner.py"], policy).finish(
        b"", limits.wall_s
    )
    outcome: Outcome = "ok"
    message = ""
    if done.stopped is not None:
        outcome = "timeout" if done.stopped == "wall" else "limit"
        message = f"stopped: {done.stopped} limit"
    elif done.exit_status != 0:
        said = done.errors.strip().splitlines()
        outcome = "limit" if said and said[-1].startswith("MemoryError") else "failed"
        message = said[-1][:500] if said else f"ended with exit status {done.exit_status}"
    return RunResult(
        outcome,
        done.output,
        message,
        exit_status=done.exit_status,
        wall_s=done.wall_s,
        sandbox=sandbox.mode,
    )
