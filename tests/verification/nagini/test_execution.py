"""Running Nagini programs as plain Python in the sandbox."""

import ast

import pytest

from verulaw_rl.verification.execution import ExecutionLimits
from verulaw_rl.verification.nagini import noop_contracts
from verulaw_rl.verification.nagini.execution import execute_nagini, nothing_to_run
from verulaw_rl.verification.nagini.runner import PROOF, without_proof
from verulaw_rl.verification.sandbox import detect_sandbox

PROGRAM = """\
from typing import List
from nagini_contracts.contracts import *
from nagini_contracts.obligations import *


@Predicate
def all_of(l: List[int]) -> bool:
    return Acc(list_pred(l))


@Pure
def safe(l: List[int], i: int) -> bool:
    Requires(Acc(list_pred(l)))
    return Implies(i < len(l), l[i] > 0) and Forall(l, lambda x: (x > 0, [[x]]))


def total(l: List[int]) -> int:
    Requires(Acc(list_pred(l)))
    Requires(MustTerminate(2))
    Ensures(Result() == Old(l[100]))
    s = 0
    i = 0
    while i < len(l):
        Invariant(Acc(list_pred(l)) and l[77] == nowhere)
        s += l[i]
        i += 1
    Assert(Forall(int, lambda k: k == nowhere))
    Fold(all_of(l))
    return Unfolding(all_of(l), s)
"""


@pytest.fixture(scope="module")
def run(nagini):
    sandbox = detect_sandbox()

    def run(calls: str, program: str = PROGRAM, **limits):
        return execute_nagini(nagini, sandbox, program, calls, ExecutionLimits(**limits))

    return run


@pytest.mark.tool
def test_proof_is_taken_out_and_the_rest_runs(run):
    result = run("print(total([1, 2, 3]), safe([1], 5), safe([1, -1], 0))")
    assert (result.outcome, result.stdout, result.message, result.exit_status) == ("ok", "6 True False\n", "", 0)


@pytest.mark.tool
def test_an_exception_names_lines_and_no_paths(run):
    result = run("print(1)\ntotal(3)")
    assert (result.outcome, result.stdout) == ("failed", "1\n")
    assert result.message == "TypeError: object of type 'int' has no len() (line 2 of the calls, line 23 in total)"


@pytest.mark.tool
@pytest.mark.parametrize(
    ("calls", "outcome", "said"),
    [
        ("print(Result())", "failed", "Result() cannot be executed"),
        ("Exists(int, lambda x: x > 0)", "failed", "a quantifier over int cannot be executed"),
        ("raise SystemExit(3)", "failed", "exit status 3"),
        ("def f(n): return f(n)\nf(0)", "failed", "RecursionError"),
        ("print(open('/etc/passwd').read())", "failed", "FileNotFoundError"),
        ("import nagini_translation\nprint(1)", "failed", "ModuleNotFoundError"),
        ("x = [0] * 10**10", "limit", "MemoryError"),
        ("while True: print('x' * 1000)", "limit", "output"),
    ],
)
def test_what_goes_wrong(run, calls, outcome, said):
    result = run(calls)
    assert result.outcome == outcome
    assert said in result.message


@pytest.mark.tool
def test_time(run):
    assert run("while True: pass", wall_s=1).timed_out


@pytest.mark.tool
def test_a_program_that_runs_by_itself(run):
    assert run("", PROGRAM + "\nif __name__ == '__main__':\n    print(total([2]))\n").stdout == "2\n"


@pytest.mark.tool
def test_names_of_the_library_that_a_program_defines_are_its_own(run):
    assert run("", "def Assert(x: int) -> int:\n    print(x)\n    return x\n\n\nAssert(3)\n").stdout == "3\n"


@pytest.mark.unit
def test_nothing_to_run():
    assert nothing_to_run(PROGRAM, "") == "nothing to run: give the statements to execute"
    assert nothing_to_run(PROGRAM, "print(1 +") == "line 1 of the calls: '(' was never closed"
    assert nothing_to_run("def f(:\n", "f()").startswith("line 1:")
    assert nothing_to_run("x = " + "(" * 5000, "f()")
    assert nothing_to_run(PROGRAM, "total([])") == ""


@pytest.mark.unit
def test_what_is_taken_out():
    tree = without_proof("def f(x):\n    Requires(g(x))\n    return Implies(p(x), Unfolding(q(x), r(x)))\n", "a.py")
    assert ast.unparse(tree) == "def f(x):\n    pass\n    return not p(x) or r(x)"
    assert set(vars(noop_contracts)) >= PROOF


@pytest.mark.unit
def test_sequences_sets_and_multisets():
    seq, of, bag = noop_contracts.PSeq, noop_contracts.PSet, noop_contracts.PMultiset
    assert seq(3, 2, 5, 6).take(3) == seq(3, 2, 5)
    assert seq(2, 3, 5, 6).drop(2) == seq(5, 6)
    assert seq(1, 2).update(1, 7) + noop_contracts.ToSeq([3]) == seq(1, 7, 3)
    assert (len(of(1, 1, 2)), of(1, 2) - of(2), 2 in of(1) + of(2)) == (2, of(1), True)
    assert (bag(1, 1, 2).num(1), len(bag(1, 1, 2) - bag(1)), noop_contracts.ToMS(seq(2, 1)) == bag(1, 2)) == (
        2,
        2,
        True,
    )
    with pytest.raises(IndexError):
        seq(1)[-1]


@pytest.mark.tool
def test_every_name_of_the_installed_library_is_there(nagini):
    (folder,) = nagini.python.parent.parent.glob("lib/*/site-packages/nagini_contracts")
    ours = set(vars(noop_contracts))
    missing = set()
    for name in ("contracts", "obligations", "io_contracts", "thread", "lock", "adt"):
        tree = ast.parse((folder / f"{name}.py").read_text())
        defined = {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
        missing |= {n for n in defined if not n.startswith("_")} - ours
    assert missing == {"LevelType"}
