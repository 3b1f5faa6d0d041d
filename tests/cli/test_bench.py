"""``verulaw-rl bench verifier``, small: that it measures and compares, not how fast it is."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from verulaw_rl.cli.bench import spread
from verulaw_rl.errors import UserError
from verulaw_rl.verification.cache import cache_key
from verulaw_rl.verification.dafny.find import find_dafny
from verulaw_rl.verification.measure import Pass, differing, from_cache, pool_overhead, verified_within
from verulaw_rl.verification.registry import get_adapter
from verulaw_rl.verification.verdict import (
    DeclarationOutcome,
    Limits,
    Status,
    Times,
    ToolIdentity,
    Verdict,
    VerifyRequest,
)

pytestmark = pytest.mark.tool

VERDICT = Verdict(Status.FAILED, (), True, ToolIdentity("dafny", "2.3.0", "z3 4.8.5"), sandbox="bwrap")


def bench(*arguments: str) -> tuple[int, dict]:
    done = subprocess.run(
        [sys.executable, "-c", "from verulaw_rl.cli.main import main; main()", "bench", "verifier", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.fixture
def dafny():
    try:
        return find_dafny()
    except UserError as error:
        pytest.skip(str(error))


def test_spread_keeps_both_ends():
    assert spread(list(range(10)), 4) == [0, 3, 6, 9]
    assert spread(list(range(3)), 5) == [0, 1, 2]
    assert spread(list(range(3)), 1) == [0]


def test_verdicts_differ_in_anything_but_times():
    same = replace(VERDICT, cached=True, times=Times(1, 2, 3))
    other = replace(VERDICT, error_count=2)
    assert differing(["a", "b"], [VERDICT, VERDICT], [same, other]) == ["b"]


def test_a_command_line_may_tell_less_but_not_otherwise():
    checked = replace(VERDICT, declarations=(DeclarationOutcome("f", "body", "failed"),), message="1 of f")
    assert differing(["a"], [checked], [VERDICT]) == []
    assert differing(["a"], [checked], [replace(VERDICT, status=Status.TIMEOUT)]) == ["a"]
    assert differing(["a"], [checked], [replace(checked, message="")]) == ["a"]


def test_only_what_verifies_in_time():
    verified = replace(VERDICT, status=Status.VERIFIED)
    passed = Pass((verified, VERDICT, verified), (1.0, 1.0, 61.0), 63.0)
    assert verified_within(passed, 60) == [0]
    assert passed.only([0, 2]).seconds == (1.0, 61.0)


def test_the_pool_alone():
    overhead = pool_overhead(calls=400)
    assert 0 < overhead.call_s < 0.1
    assert overhead.calls_per_s > 100


def test_the_cache_is_asked_and_times_only_what_it_keeps(dafny):
    timeout = replace(VERDICT, status=Status.TIMEOUT)
    done = from_cache("dafny", ["a", "b"], Limits(), [VERDICT, timeout])
    assert len(done.seconds) == 1
    assert done.verdicts[0].cached
    assert differing(["a", "b"], [VERDICT, timeout], done.verdicts) == []
    identity = get_adapter("dafny").identity()
    assert cache_key(VerifyRequest("dafny", "a"), identity) != cache_key(VerifyRequest("dafny", "b"), identity)


def test_speeds(dafny):
    status, found = bench("--programs", "2", "--json")
    assert status == 0
    assert found["tool"]["version"] == dafny.version
    assert found["differing"] == {"cold": [], "one_worker_loaded": [], "two_workers_loaded": [], "cached": []}
    assert found["warm_speedup"] == pytest.approx(found["cold_s"] / found["warm_s"])
    assert found["submission_ratio"] > 0
    assert found["cached_s"] < found["warm_s"]


def test_soak(dafny):
    status, found = bench("--programs", "2", "--soak", "10", "--solver-s", "1", "--json")
    assert status == 0
    assert (found["calls"], found["lost"], found["survivors"]) == (10, 0, 0)
    assert sum(found["statuses"].values()) == 10
    assert found["rss_last_mb"] > 50
