"""Hostile programs through the whole way, for verification and for ``run``: bounded, harmless, the next call served."""

import shutil
import time
from pathlib import Path

import psutil
import pytest

from verulaw_rl.errors import UserError
from verulaw_rl.verification.dafny.adapter import HOSTILE
from verulaw_rl.verification.dafny.find import find_dafny
from verulaw_rl.verification.execution import ExecutionLimits
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.verdict import Limits, Status, VerifyRequest

pytestmark = pytest.mark.tool

GOOD = "method Next(x: int) returns (y: int)\n  ensures y > x\n{\n  y := x + 1;\n}\n"
MIB = 2**20


@pytest.fixture(scope="module")
def pool():
    try:
        find_dafny()
    except UserError as error:
        pytest.skip(str(error))
    with Pool(PoolSettings(workers=1)) as pool:
        if pool.sandbox.mode != "bwrap":
            pytest.skip(f"needs bubblewrap: {pool.sandbox.reason}")
        pool.verify(VerifyRequest("dafny", GOOD))
        yield pool


def serves(pool: Pool, mark: object) -> bool:
    return pool.verify(VerifyRequest("dafny", f"{GOOD}// {mark}")).status is Status.VERIFIED


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_programs(pool, number):
    began = time.monotonic()
    verdict = pool.verify(VerifyRequest("dafny", HOSTILE[number], Limits(solver_s=1, wall_s=30)))
    assert verdict.status is not Status.VERIFIED
    assert verdict.program_fault == (verdict.status is Status.ERROR)
    assert time.monotonic() - began < 240  # two tries and a known good program, each on a fresh worker
    assert serves(pool, number)


def test_includes_nothing_from_outside(pool, tmp_path):
    secret = tmp_path / "secret.dfy"
    secret.write_text("module Secret { const hidden: int := 4711 }\n")
    for path in (secret, Path("/etc/passwd"), Path.home() / ".bashrc", Path("../../../../etc/hostname")):
        program = f'include "{path}"\nmethod M() {{ assert true; print 1; }}'
        verdict = pool.verify(VerifyRequest("dafny", program))
        assert verdict.status is Status.INVALID
        said = verdict.message + "".join(d.message for d in verdict.diagnostics)
        result = pool.execute("dafny", program, "M();")
        assert result.outcome == "rejected"
        assert "4711" not in said + result.message
        assert "root:" not in said + result.message
    assert serves(pool, "include")


@pytest.mark.parametrize(
    ("calls", "limits", "outcomes"),
    [
        # Doubles a sequence without end, towards 50 GB and beyond.
        ("var s := [1]; while true decreases * { s := s + s; }", {"memory_bytes": 400 * MIB}, ("limit", "failed")),
        ('while true decreases * { print "0123456789012345678901234567890123456789"; }', {}, ("limit",)),
        ("while true decreases * { }", {"wall_s": 6}, ("timeout",)),
    ],
    ids=["memory", "output", "endless"],
)
def test_hostile_runs(pool, calls, limits, outcomes):
    free = psutil.virtual_memory().available
    disk = shutil.disk_usage("/tmp").free
    began = time.monotonic()
    result = pool.execute("dafny", GOOD, calls, ExecutionLimits(**({"wall_s": 200} | limits)))
    assert result.outcome in outcomes
    assert time.monotonic() - began < 300
    assert len(result.stdout) <= ExecutionLimits().output_bytes
    assert free - psutil.virtual_memory().available < 4096 * MIB
    assert disk - shutil.disk_usage("/tmp").free < 1024 * MIB
    assert serves(pool, outcomes)
