"""Command lines of both families, built without running anything."""

from dataclasses import replace
from pathlib import Path

import pytest

from verulaw_rl.verification.dafny.command import command_line, policy_for
from verulaw_rl.verification.dafny.find import DafnyTool
from verulaw_rl.verification.verdict import Limits

pytestmark = pytest.mark.unit

LEGACY = DafnyTool(
    path=Path("/usr/bin/dafny"),
    version="2.3.0",
    command=("/usr/bin/cli", "/usr/lib/dafny/Dafny.exe"),
    server=None,
    solver=Path("/opt/z3"),
    solver_version="4.8.5",
    readable=(),
)
CURRENT = replace(LEGACY, version="4.11.0", command=("/opt/dafny/dafny",), solver=None, solver_version="bundled")


def test_legacy():
    line = command_line(LEGACY, "a.dfy", Limits(solver_s=2, wall_s=60, error_limit=7))
    assert line[:2] == ["/usr/bin/cli", "/usr/lib/dafny/Dafny.exe"]
    assert line[-1] == "a.dfy"
    assert {"/compile:0", "/z3exe:/opt/z3", "/rlimit:6000000", "/timeLimit:20", "/errorLimit:7"} <= set(line)
    # On the command line it means "verify the snapshots of this file", which verifies nothing and exits with 0.
    assert "/verifySnapshots:0" not in line


def test_current():
    line = command_line(CURRENT, "a.dfy", Limits(solver_s=2, wall_s=60, error_limit=7))
    assert line[:2] == ["/opt/dafny/dafny", "verify"]
    assert line[-1] == "a.dfy"
    assert line[line.index("--resource-limit") + 1] == "6000000"
    assert line[line.index("--verification-time-limit") + 1] == "20"
    assert line[line.index("--error-limit") + 1] == "7"
    assert "--allow-warnings" in line
    assert "--solver-path" not in line


def test_a_seed_is_the_solvers():
    # Seen in the log of a run: (set-option :smt.random_seed 7). Other spellings are taken and change nothing.
    option = "/proverOpt:O:smt.random_seed=7"
    assert option in command_line(LEGACY, "a.dfy", Limits(solver_seed=7))
    current = command_line(CURRENT, "a.dfy", Limits(solver_seed=7))
    assert current[current.index(option) - 1] == "--boogie"
    assert not any("seed" in word for word in command_line(LEGACY, "a.dfy", Limits()))


def test_time_limit_stays_below_the_wall():
    assert "/timeLimit:90" in command_line(LEGACY, "a.dfy", Limits(solver_s=30, wall_s=100))


def test_only_mono_has_its_addresses_limited():
    assert policy_for(LEGACY, 2**31).address_space_bytes == 2**31
    assert policy_for(LEGACY, 1).address_space_bytes == 2**30
    assert policy_for(CURRENT, 2**31).address_space_bytes is None
