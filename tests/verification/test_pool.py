"""The pool over the installed Dafny: statuses, places, recovery, concurrency, and that nothing is left behind.

Lines and columns are what Dafny 2.3.0 prints for these programs on its command line.
"""

import asyncio
import signal
import threading
import time
from concurrent.futures import CancelledError, Future
from dataclasses import replace

import psutil
import pytest

from verulaw_rl.errors import UserError
from verulaw_rl.languages.base import Category
from verulaw_rl.verification.adapter import WorkerFault
from verulaw_rl.verification.calls import Calls
from verulaw_rl.verification.dafny.adapter import DafnyAdapter
from verulaw_rl.verification.dafny.find import find_dafny
from verulaw_rl.verification.execution import ExecutionLimits
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.sandbox import detect_sandbox
from verulaw_rl.verification.verdict import Limits, Location, Status, Times, Verdict, VerifyRequest

pytestmark = pytest.mark.tool

GOOD = "method Next(x: int) returns (y: int)\n  ensures y > x\n{\n  y := x + 1;\n}\n"
HARD = (
    "lemma Cubes(a: int, b: int, c: int)\n  requires a > 1 && b > 1 && c > 1\n  ensures a*a*a + b*b*b != c*c*c\n{\n}\n"
)
FAILING = """\
method Sum(n: nat) returns (s: int)
  ensures s == n * n
  ensures s >= 0
{
  var i := 0;
  s := 0;
  while i < n
    invariant 0 <= i <= n
    invariant s == i
  {
    s := s + 2;
    i := i + 1;
  }
}

method Write(a: array<int>, k: int)
{
  var q := 10 / k;
  a[q] := 1;
}

method Caller(k: int)
{
  Needs(k);
  assert k > 3;
}

method Needs(k: int)
  requires k > 0
  decreases *
{
  Needs(k);
}
"""


@pytest.fixture(scope="module", autouse=True)
def _needs_dafny():
    try:
        find_dafny()
    except UserError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def pool():
    with Pool(PoolSettings(workers=2)) as pool:
        yield pool


@pytest.fixture(scope="module")
def single():
    with Pool(PoolSettings(workers=1)) as pool:
        yield pool


def ask(program: str, **limits) -> VerifyRequest:
    return VerifyRequest("dafny", program, Limits(**({"solver_s": 3} | limits)))


def plain(verdict: Verdict) -> Verdict:
    return replace(verdict, times=Times(), cached=False)


def own_tools() -> list[psutil.Process]:
    """Processes of verifiers that this test process has started."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if process.status() != psutil.STATUS_ZOMBIE and process.name() in (
                "bwrap",
                "cli",
                "mono",
                "z3",
                "mono-sgen",
            ):
                found.append(process)
        except psutil.Error:
            continue
    return found


def test_verified(pool):
    verdict = pool.verify(ask(GOOD))
    assert (verdict.status, verdict.complete, verdict.verified_count, verdict.error_count) == (
        Status.VERIFIED,
        True,
        1,
        0,
    )
    assert verdict.diagnostics == ()
    assert [(o.declaration, o.part, o.outcome, o.obligations) for o in verdict.declarations] == [
        ("Next", "body", "verified", 1)
    ]
    assert verdict.tool.name == "dafny"
    assert verdict.sandbox == pool.sandbox.mode
    assert verdict.times.tool_s > 0


@pytest.mark.skipif("not find_dafny().version.startswith('2.3')", reason="places differ in Dafny 4")
def test_failures_with_their_places(pool):
    program = FAILING.replace("  decreases *\n", "")
    verdict = pool.verify(ask(program))
    assert verdict.status is Status.FAILED
    assert verdict.complete
    seen = {(d.category, d.kind, d.location, d.declaration, d.clause) for d in verdict.failures}
    assert seen == {
        (Category.POSTCONDITION, "postcondition", Location(7, 2), "Sum", "ensures s == n * n"),
        (Category.INVARIANT, "invariant_maintained", Location(9, 16), "Sum", "invariant s == i"),
        (Category.SAFETY, "division", Location(18, 14), "Write", None),
        (Category.SAFETY, "frame", Location(19, 3), "Write", None),
        (Category.SAFETY, "index", Location(19, 3), "Write", None),
        (Category.SAFETY, "precondition", Location(24, 7), "Caller", "requires k > 0"),
        (Category.ASSERTION, "assertion", Location(25, 11), "Caller", "assert k > 3;"),
        (Category.TERMINATION, "termination_unproved", Location(31, 7), "Needs", None),
    }


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        ("method M( {", "parse"),
        ("method M() ensures y {}", "resolution"),
        ("method M() { var x: int := true; }", "resolution"),
    ],
)
def test_invalid(pool, program, kind):
    verdict = pool.verify(ask(program))
    assert verdict.status is Status.INVALID
    assert [(d.kind, d.category) for d in verdict.diagnostics] == [(kind, None)]
    # As on the command line, which prints no summary then: the server's zeros would count what was not looked at.
    assert (verdict.verified_count, verdict.error_count) == (None, None)


@pytest.mark.parametrize("program", ["", "  // nothing\n", "lemma L() ensures false\n", "method M() {}"])
def test_nothing_to_verify_is_not_verified(pool, program):
    assert pool.verify(ask(program)).status is Status.INVALID


def test_timeout_and_the_rest_is_told(pool):
    verdict = pool.verify(ask(GOOD + HARD, solver_s=1))
    assert verdict.status is Status.TIMEOUT
    assert not verdict.complete
    assert {o.declaration: o.outcome for o in verdict.declarations} == {"Next": "verified", "Cubes": "timeout"}
    assert [(d.category, d.undecided, d.clause) for d in verdict.failures] == [
        (Category.POSTCONDITION, True, "ensures a*a*a + b*b*b != c*c*c")
    ]


def test_failed_beside_a_timeout_is_failed_and_incomplete(pool):
    verdict = pool.verify(ask("method Bad() ensures false {}\n" + HARD, solver_s=1))
    assert (verdict.status, verdict.complete) == (Status.FAILED, False)


@pytest.mark.parametrize(
    "program",
    [
        "method {:timeLimit 0} {:rlimit 1} M() returns (r: int) ensures r == 42 { r := 41; }",
        "method {:verify false} M() returns (r: int) ensures r == 42 { r := 41; }\n" + GOOD,
    ],
)
def test_tricks_that_hide_a_failure_are_not_verified(pool, program):
    verdict = pool.verify(ask(program))
    assert verdict.status in (Status.TIMEOUT, Status.FAILED)
    assert not verdict.complete


def test_error_limit_makes_the_list_incomplete(pool):
    checks = "\n".join(f"  if x == {i} {{ assert x != {i}; }}" for i in range(12))
    program = f"method M(x: int) {{\n{checks}\n}}"
    cut = pool.verify(ask(program, error_limit=4))
    assert (cut.status, cut.complete, len(cut.failures)) == (Status.FAILED, False, 4)
    whole = pool.verify(ask(program))
    assert (whole.complete, len(whole.failures)) == (True, 12)


def test_custom_texts_get_their_category_from_the_position(pool):
    program = (
        'method N(x: int) requires {:error "my own"} x > 0 ensures {:error "mine too"} x > 1 {}\n'
        'method M() { N(0); }\nmethod K(a: int) { assert {:error "index out of range"} a > 2; }'
    )
    found = {(d.category, d.kind) for d in pool.verify(ask(program)).failures}
    assert found == {
        (Category.POSTCONDITION, "postcondition"),
        (Category.SAFETY, "precondition"),
        (Category.ASSERTION, "assertion"),
    }


def test_nested_modules_and_classes_have_whole_paths(pool):
    program = (
        "module M { module N { lemma L() ensures false {} }\n"
        "  class C { var f: int\n    constructor () ensures f == 7 { f := 1; }\n"
        "    method m() modifies this ensures f == 1 { f := 2; } } }"
    )
    assert {d.declaration for d in pool.verify(ask(program)).failures} >= {"M.N.L", "M.C.m"}


def test_a_program_that_fakes_the_end_of_the_reply_is_at_fault(pool):
    forged = 'method M() {\n  assert {:error @"x\n[SUCCESS] [[DAFNY-SERVER: EOM]]\n"} false;\n}'
    verdict = pool.verify(ask(forged))
    assert verdict.status in (Status.ERROR, Status.FAILED)
    assert verdict.program_fault == (verdict.status is Status.ERROR)
    assert pool.verify(ask(GOOD + "// after")).status is Status.VERIFIED


@pytest.mark.skipif("not find_dafny().version.startswith('2.3')", reason="mended in Dafny 4")
def test_a_program_that_dafny_translates_badly_is_at_fault(pool):
    """The server says "[SUCCESS]" to it, and nothing of any declaration."""
    program = (
        "predicate P(s: set<int>) { var q := 5; q in s }\n"
        "method M(s: set<int>, q: int)\n  requires 5 in s\n{ assert P(s); }\n"
    )
    cold = DafnyAdapter(warm=False).start_worker(detect_sandbox(), 4 * 2**30, ())
    with pytest.raises(WorkerFault, match="more than one declaration of variable name: q#0"):
        cold.verify(program, ask(program).limits)
    verdict = pool.verify(ask(program))
    assert (verdict.status, verdict.program_fault) == (Status.ERROR, True)
    assert "more than one declaration of variable name: q#0" in verdict.message


def test_wall_limit_ends_the_worker_and_the_pool_goes_on(pool):
    began = time.monotonic()
    verdict = pool.verify(ask(GOOD + HARD, solver_s=600, wall_s=3))
    assert verdict.status is Status.TIMEOUT
    assert not verdict.complete
    assert time.monotonic() - began < 120  # the solver alone would take ten minutes
    assert pool.verify(ask(GOOD + "// on")).status is Status.VERIFIED


@pytest.mark.parametrize("victims", [("z3",), ("cli", "mono", "mono-sgen")])
def test_a_killed_tool_is_replaced_and_the_call_repeated(single, victims):
    single.verify(ask(GOOD + "// started"))
    before = {p.pid for p in own_tools() if p.name() == "z3"}
    slow = single.submit(ask(GOOD + HARD + f"// {victims}", solver_s=4))
    deadline = time.monotonic() + 60
    killed = False
    while not killed and time.monotonic() < deadline:
        if any(p.name() == "z3" and p.pid not in before for p in own_tools()):
            time.sleep(0.3)  # into the proof
            for process in own_tools():
                if process.name() in victims:
                    process.kill()
                    killed = True
        time.sleep(0.02)
    assert killed
    verdict = slow.result(timeout=240)
    assert verdict.status is Status.TIMEOUT
    assert {o.declaration: o.outcome for o in verdict.declarations} == {"Next": "verified", "Cubes": "timeout"}


def test_many_callers_get_what_one_gets(pool, single):
    programs = [GOOD + f"// {i}" if i % 2 else FAILING.replace("decreases *", f"decreases {i} - k") for i in range(8)]
    alone = [plain(single.verify(ask(p))) for p in programs]
    together: list[Verdict | None] = [None] * 8

    def call(i: int) -> None:
        together[i] = plain(pool.verify(ask(programs[i])))

    threads = [threading.Thread(target=call, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert together == alone


def test_warm_and_cold_say_the_same(pool):
    adapter = DafnyAdapter(warm=False)
    cold = adapter.start_worker(detect_sandbox(), 4 * 2**30, ())
    for program in (GOOD, FAILING.replace("  decreases *\n", ""), "method M( {", ""):
        warm_verdict = plain(pool.verify(ask(program)))
        cold_verdict = plain(cold.verify(program, ask(program).limits))
        assert warm_verdict.status is cold_verdict.status
        assert warm_verdict.diagnostics == cold_verdict.diagnostics
        assert warm_verdict.declarations == cold_verdict.declarations


def test_cache_and_joined_calls(single):
    request = ask(GOOD + "// joined")
    first, second = single.submit(request), single.submit(request)
    assert not first.result().cached
    assert first.result() is second.result()
    again = single.verify(request)
    assert again.cached
    assert plain(again) == plain(first.result())
    assert not single.verify(ask(HARD, solver_s=1)).cached
    assert not single.verify(ask(HARD, solver_s=1)).cached


def test_a_waiting_call_can_be_cancelled(single):
    slow = single.submit(ask(HARD, solver_s=2))
    twice = [single.submit(ask(GOOD + "// queued")) for _ in range(2)]
    dropped = single.submit(ask(GOOD + "// dropped"))
    assert dropped.cancel()
    assert twice[0].cancel()
    assert slow.result().status is Status.TIMEOUT
    assert twice[1].result().status is Status.VERIFIED
    with pytest.raises(CancelledError):
        twice[0].result()
    assert not slow.cancel()


def solvers() -> set[int]:
    return {p.pid for p in own_tools() if p.name() == "z3"}


def until(condition, seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return bool(condition())


def test_a_running_call_that_nobody_waits_for_is_broken_off(single):
    single.verify(ask(GOOD + "// warm"))
    before = solvers()
    request = ask(HARD + "// long", solver_s=600)
    first, second = single.submit(request), single.submit(request)
    assert until(lambda: solvers() - before)
    proving = solvers() - before
    assert first.cancel()
    time.sleep(0.5)
    assert proving <= solvers()  # the second still waits
    began = time.monotonic()
    assert second.cancel()
    assert single.verify(ask(GOOD + "// after the long one")).status is Status.VERIFIED
    assert time.monotonic() - began < 60  # the proof alone would take ten minutes
    assert not proving & solvers()
    again = single.submit(request)  # not joined to the one that was broken off
    assert until(lambda: solvers())
    assert again.cancel()


def test_a_call_can_be_awaited_and_cancelled_by_its_task(single):
    async def both() -> Verdict:
        slow = asyncio.create_task(asyncio.wait_for(_awaited(single, ask(HARD + "// task", solver_s=600)), 2))
        with pytest.raises(TimeoutError):
            await slow
        return await _awaited(single, ask(GOOD + "// awaited"))

    assert asyncio.run(both()).status is Status.VERIFIED


async def _awaited(pool: Pool, request: VerifyRequest) -> Verdict:
    return await asyncio.wrap_future(pool.submit(request))


def test_a_tool_that_hangs_is_ended_by_the_wall_clock(single):
    single.verify(ask(GOOD + "// before it hangs"))
    for process in own_tools():
        if process.name() in ("cli", "mono", "mono-sgen"):
            process.send_signal(signal.SIGSTOP)
    stopped = single.verify(ask(GOOD + "// hangs", wall_s=2))
    assert (stopped.status, stopped.complete) == (Status.TIMEOUT, False)
    assert single.verify(ask(GOOD + "// goes on")).status is Status.VERIFIED


def test_times_are_told_apart(single):
    first, second = (single.submit(ask(HARD + f"// timed {n}", solver_s=1)) for n in range(2))
    times, later = first.result().times, second.result().times
    assert times.solver_s is not None
    assert 0.1 < times.solver_s <= 2 * times.tool_s  # of the processor, in however many processes
    assert times.queue_s < times.tool_s
    assert later.queue_s >= times.tool_s


def test_worn_out_workers_are_replaced_while_others_serve():
    with Pool(PoolSettings(workers=2), find_adapter=lambda language: DafnyAdapter(uses=2)) as pool:
        futures = [pool.submit(ask(GOOD + f"// use {n}")) for n in range(7)]
        assert [f.result().status for f in futures] == [Status.VERIFIED] * 7


def test_workers_are_replaced_when_worn_out():
    adapter = DafnyAdapter(uses=1)
    worker = adapter.start_worker(detect_sandbox(), 4 * 2**30, ())
    try:
        assert worker.usable
        worker.verify(GOOD, Limits())
        assert not worker.usable
    finally:
        worker.close()
    large = DafnyAdapter(rss_bytes=1).start_worker(detect_sandbox(), 4 * 2**30, ())
    assert not large.usable
    large.close()


@pytest.mark.parametrize("sandbox", ["auto", "none"])
def test_nothing_survives_the_pool(sandbox):
    before = {p.pid for p in own_tools()}
    pool = Pool(PoolSettings(workers=2, sandbox=sandbox))
    pool.verify(ask(GOOD))
    running = [pool.submit(ask(HARD + f"// {i}", solver_s=30)) for i in range(4)]
    mine: list[psutil.Process] = []
    deadline = time.monotonic() + 60
    while not any(name == "z3" for name in _names(mine)) and time.monotonic() < deadline:
        time.sleep(0.05)
        mine = [p for p in own_tools() if p.pid not in before]
    assert mine
    pool.close()
    assert {p.pid for p in own_tools()} <= before
    assert not any(_runs(p) for p in mine)
    for future in running:
        assert _ended(future)
    with pytest.raises(RuntimeError):
        pool.submit(ask(GOOD))


def _names(processes: list[psutil.Process]) -> list[str]:
    return [p.name() for p in processes if _runs(p)]


def _runs(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _ended(future: "Future[Verdict]") -> bool:
    return future.cancelled() or isinstance(future.exception(timeout=5), RuntimeError)


def test_without_sandbox_it_is_recorded():
    with Pool(PoolSettings(workers=1, sandbox="none")) as pool:
        verdict = pool.verify(ask(GOOD))
    assert (verdict.status, verdict.sandbox) == (Status.VERIFIED, "none")


def test_identity_and_unknown_languages(pool):
    identity = pool.identity("dafny")
    assert identity.version.count(".") == 2
    assert identity.solver.startswith("z3")
    with pytest.raises(UserError, match="cobol"):
        pool.submit(VerifyRequest("cobol", ""))


def test_a_run_that_nobody_waits_for_is_stopped(single):
    endless = "method M() decreases * { while true decreases * {} }\n"
    before = {p.pid for p in own_tools()}
    run = single.submit_execution("dafny", endless, "M();", ExecutionLimits(wall_s=600))
    queued = single.submit_execution("dafny", GOOD, "print 1;")
    assert until(lambda: {p.pid for p in own_tools()} - before)
    time.sleep(2)  # compiled, and running
    assert queued.cancel()
    began = time.monotonic()
    assert run.cancel()
    assert single.verify(ask(GOOD + "// after the endless run")).status is Status.VERIFIED
    assert time.monotonic() - began < 60
    assert until(lambda: not any(p.name() == "mono" and p.pid not in before for p in own_tools()), 5)
    assert single.execute("dafny", GOOD, "print 1;").stdout == "1"


def test_an_owner_cancels_its_own_calls_alone(single):
    request = ask(HARD + "// shared", solver_s=2)
    leaving, staying = Calls(lambda: single), Calls(lambda: single)
    answers: list[Status] = []
    thread = threading.Thread(target=lambda: answers.append(staying.verify(request).status))
    thread.start()
    cancelling = threading.Timer(0.5, leaving.cancel)
    cancelling.start()
    with pytest.raises(CancelledError):
        leaving.verify(request)
    with pytest.raises(CancelledError):
        leaving.verify(ask(GOOD))
    thread.join()
    assert answers == [Status.TIMEOUT]
