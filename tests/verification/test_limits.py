"""Limits of a call, by the solver work that a person names."""

from dataclasses import replace

import pytest

from verulaw_rl.config.verification import VerificationConfig
from verulaw_rl.evidence.live import limits_of
from verulaw_rl.verification.verdict import Limits

pytestmark = pytest.mark.unit


def test_the_wall_clock_never_comes_before_the_work() -> None:
    assert Limits.of_work(30) == Limits()
    assert Limits.of_work(90).wall_s == 360
    assert Limits.of_work(90, 100).wall_s == 100


def test_limits_of_a_config() -> None:
    assert limits_of(VerificationConfig()) == Limits()
    assert limits_of(VerificationConfig(solver_s=90)).wall_s == 360
    named = VerificationConfig(solver_s=90, wall_s=120, memory_gb=2)
    assert limits_of(named) == replace(Limits(), solver_s=90.0, wall_s=120.0, memory_bytes=2 * 2**30)
