"""The warm Nagini 1.2.0 over the pool: every kind of failure where it stands, and that no program leaves a trace.

Expected categories and kinds are written behind the lines at which Nagini reports them: ``# ! category kind``.
"""

import re
import textwrap
import time
from dataclasses import replace

import psutil
import pytest

from verulaw_rl.verification.nagini.adapter import NaginiAdapter
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.sandbox import detect_sandbox
from verulaw_rl.verification.verdict import Limits, Status, Verdict, VerifyRequest

pytestmark = pytest.mark.tool

HEAD = """\
from typing import Dict, List, Optional
from nagini_contracts.contracts import *
from nagini_contracts.obligations import *
"""
GOOD = HEAD + "\n\ndef good(x: int) -> int:\n    Ensures(Result() > x)\n    return x + 1\n"
NO_OBLIGATION = "def plain(x: int) -> int:\n    return x + 1\n"
HEIRS = "\n\nclass A:\n    pass\n\n\nclass B:\n    pass\n\n\nclass C(A, B):\n    pass\n"
LIMITS = Limits(solver_s=60, wall_s=500)
"""The wall clock allows for a crowded machine."""

CONTRACTS = """
class Cell:
    def __init__(self, n: int) -> None:
        self.n = n  # type: int
        Ensures(Acc(self.n) and self.n == n)


@Predicate
def positive(c: Cell) -> bool:
    return Acc(c.n) and c.n > 0


def needs(a: int, b: int) -> int:
    Requires(a > 0)
    Requires(b != 3 and a < b)
    Ensures(Result() > a)
    return b


def post(a: int) -> int:
    # A check that failed is assumed behind it: these do not contradict each other.
    Ensures(Result() > 5)  # ! postcondition postcondition
    Ensures(Result() != 0 and Result() < 7)  # ! postcondition postcondition
    return a


def loops(n: int) -> int:
    Requires(n > 5)
    i = 0
    s = 0
    while i < n:
        Invariant(i <= n)
        Invariant(s == i)  # ! invariant invariant_maintained
        i += 1
        s += 2
    return s


def enters(n: int) -> int:
    # A failure on entry ends the path, and with it what the loop's body would have shown.
    Requires(n > 5)
    i = 0
    while i < n:
        Invariant(i > 0)  # ! invariant invariant_entry
        i += 1
    return i


def asserts(x: int) -> None:
    assert x > 3  # ! assertion assertion
    Assert(x > 4)  # ! assertion assertion


def calls(a: int, b: int) -> int:
    return needs(a, b)  # ! safety precondition # ! safety precondition # ! safety precondition


def index(l: List[int], i: int) -> int:
    Requires(Acc(list_pred(l)))
    return l[i]  # ! safety index


def lookup(d: Dict[int, int]) -> int:
    Requires(Acc(dict_pred(d)))
    return d[3]  # ! safety index


def divide(a: int, b: int) -> int:
    return a // b  # ! safety division


def writes(c: Cell) -> None:
    c.n = 3  # ! safety permission


def folds(c: Cell) -> None:
    Requires(Acc(c.n))
    Fold(positive(c))  # ! safety fold


def unfolds(c: Cell) -> None:
    Unfold(positive(c))  # ! safety permission


def malformed(c: Cell) -> None:
    Requires(c.n > 0)  # ! safety permission


def undefined(b: bool) -> int:  # ! safety return_type
    if b:
        x = 3
    return x  # ! safety undefined


def raises() -> None:  # ! safety exception
    raise Exception()


def refutes(a: int) -> None:
    Requires(a > 0)
    Refute(a > 0)  # ! assertion refutation
"""

TERMINATION = """
def open_ended(n: int) -> int:
    return n


@Pure
def down(n: int) -> int:
    Decreases(n)
    return down(n - 1)  # ! termination decreases


def recursive(n: int) -> None:
    Requires(n > 0)
    Requires(MustTerminate(n))
    recursive(n)  # ! termination obligation_leak


def ends(n: int) -> None:
    Requires(MustTerminate(2))
    while n > 0:  # ! termination obligation_leak
        n -= 1


def calls_open_ended(n: int) -> None:
    Requires(MustTerminate(2))
    open_ended(n)  # ! termination obligation_leak


class Base:
    def get(self, a: int) -> int:
        Requires(a > 0)
        Ensures(Result() > a)  # ! postcondition postcondition
        return a + 1


class Derived(Base):
    def get(self, a: int) -> int:  # ! safety precondition
        Requires(a > 5)
        Ensures(Result() > 0)
        return a + 1
"""


def verify(pool: Pool, program: str, **more) -> Verdict:
    return pool.verify(VerifyRequest("nagini", program, replace(LIMITS, **more)))


def expected(program: str) -> list[tuple[int, str, str]]:
    return sorted(
        (number, category, kind)
        for number, line in enumerate(program.splitlines(), start=1)
        for category, kind in re.findall(r"# ! (\w+) (\w+)", line)
    )


def found(verdict: Verdict) -> list[tuple[int, str, str]]:
    return sorted((d.location.line, d.category.value, d.kind) for d in verdict.failures if d.category is not None)


@pytest.fixture(scope="module")
def failing(pool) -> Verdict:
    return verify(pool, HEAD + CONTRACTS)


def test_every_kind_of_failure_where_it_stands(failing):
    assert found(failing) == expected(HEAD + CONTRACTS)
    assert (failing.status, failing.complete) == (Status.FAILED, True)


def test_termination_and_overriding(pool):
    verdict = verify(pool, HEAD + TERMINATION)
    assert found(verdict) == expected(HEAD + TERMINATION)
    # What an override breaks stands in the contract of the base class, and is counted there.
    assert {o.declaration for o in verdict.declarations if o.outcome == "verified"} == {"open_ended"}


def test_each_function_has_an_outcome(failing):
    outcomes = {o.declaration: o.outcome for o in failing.declarations}
    assert {d for d, o in outcomes.items() if o == "verified"} == {"Cell.__init__", "positive", "needs"}
    assert "skipped" not in outcomes.values()


def test_clauses_and_declarations_are_named(failing):
    of = {(d.declaration, d.clause) for d in failing.diagnostics}
    assert ("post", "Ensures(Result() != 0 and Result() < 7)") in of
    assert ("loops", "Invariant(s == i)") in of
    assert ("asserts", "assert x > 3") in of
    assert ("calls", None) in of


def test_a_reason_points_into_the_contract(failing):
    lines = (HEAD + CONTRACTS).splitlines()
    pointed = {lines[d.related[0].location.line - 1].strip() for d in failing.diagnostics if d.declaration == "calls"}
    assert pointed == {"Requires(a > 0)", "Requires(b != 3 and a < b)"}


@pytest.mark.parametrize(
    ("program", "status", "kind", "line"),
    [
        ("def f(:\n    pass\n", Status.INVALID, "parse", 1),
        (HEAD + "\n\ndef f() -> int:\n    return 'a'\n", Status.INVALID, "type", 7),
        (
            HEAD + "\n\ndef f(x: int) -> int:\n    y = x\n    Requires(x > 0)\n    return y\n",
            Status.INVALID,
            "invalid",
            8,
        ),
        (HEAD + HEIRS, Status.INVALID, "unsupported", 14),
        ("\0\x1b[2J\ud800", Status.INVALID, None, None),
        ("", Status.INVALID, None, None),
    ],
    ids=["syntax", "type", "contract position", "unsupported", "no text", "empty"],
)
def test_what_is_no_program(pool, program, status, kind, line):
    verdict = verify(pool, program)
    assert verdict.status is status
    if kind is not None:
        assert (verdict.diagnostics[0].kind, verdict.diagnostics[0].location.line) == (kind, line)


def test_a_trusted_function_is_not_verified(pool):
    trusted = HEAD + "\n\n@ContractOnly\ndef trusted(x: int) -> int:\n    Ensures(Result() > x)\n"
    assert verify(pool, trusted).status is Status.INVALID
    verdict = verify(pool, trusted + GOOD.removeprefix(HEAD))
    assert verdict.status is Status.VERIFIED
    assert {o.declaration: o.outcome for o in verdict.declarations} == {"trusted": "skipped", "good": "verified"}


def test_no_program_changes_the_verdict_on_the_next(pool):
    loop = HEAD + textwrap.dedent("""
        def ends(n: int) -> None:
            Requires(MustTerminate(2))
            while n > 0:
                n -= 1
    """)
    crash = HEAD + "\n\ndef f() -> None:\n    Exsures(Nothing, True)\n    pass\n"
    first = verify(pool, loop)
    assert first.status is Status.FAILED
    # After a program without obligations, Nagini's own server stops checking them.
    for other in (NO_OBLIGATION, crash, "def f(:\n", HEAD + "\n\ndef f() -> int:\n    return 'a'\n", GOOD):
        verify(pool, other)
        assert verify(pool, loop) == first


def test_a_program_that_uses_up_its_solver_time(pool):
    hard = HEAD + textwrap.dedent("""
        def easy(a: int) -> int:
            Ensures(Result() > a)
            return a + 1


        def cubes(a: int, b: int, c: int) -> None:
            Requires(a > 1 and b > 1 and c > 1)
            Assert(a * a * a + b * b * b != c * c * c)
    """)
    before = workers()
    verdict = verify(pool, hard, solver_s=3)
    assert (verdict.status, verdict.complete) == (Status.TIMEOUT, False)
    assert {o.declaration: o.outcome for o in verdict.declarations}["cubes"] == "timeout"
    assert 3 <= verdict.times.solver_s < 10
    assert verify(pool, GOOD).status is Status.VERIFIED
    assert workers() == before


def workers() -> set[int]:
    """Process ids of residents below this process."""
    return {
        p.pid for p in psutil.Process().children(recursive=True) if any("nagini-resident" in a for a in p.cmdline())
    }


def test_the_command_line_says_the_same(pool, failing, nagini):
    worker = NaginiAdapter(warm=False).start_worker(detect_sandbox(), Limits().memory_bytes, ())
    cold = worker.verify(HEAD + CONTRACTS, LIMITS)
    assert cold.status is failing.status
    assert [(d.kind, d.location, d.message, d.clause) for d in cold.diagnostics] == [
        (d.kind, d.location, d.message, d.clause) for d in failing.diagnostics
    ]


def test_nothing_survives_a_pool_that_is_closed_while_it_works(nagini):
    before = {p.pid for p in psutil.Process().children(recursive=True)}
    with Pool(PoolSettings(workers=1, cache_entries=0)) as own:
        waiting = own.submit(VerifyRequest("nagini", GOOD, LIMITS))
        deadline = time.monotonic() + 120
        while not (mine := workers() - before) and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(3)  # the JVM is on its way
        during = {p.pid for p in psutil.Process().children(recursive=True)} - before
    assert mine <= during
    assert waiting.exception() is not None
    assert not {p for p in during if psutil.pid_exists(p)}
