"""The audit against generated cheats, and generated honest edits, of the bundled programs."""

import os

import pytest

from verulaw_rl.audit.attack import LeftOut, attack, targets_of
from verulaw_rl.languages.rewrites import Family
from verulaw_rl.suites.seed import seed_programs

pytestmark = pytest.mark.unit
PER_FAMILY = 60 if os.environ.get("VERULAW_FULL") == "1" else 4


def test_every_cheat_is_rejected_and_every_honest_edit_accepted() -> None:
    """Four rewrites of each family a program and task form; sixty with ``VERULAW_FULL=1``."""
    made = dict.fromkeys(Family, 0)
    for program in seed_programs("verus"):
        for target in targets_of("verus", program.name, program.text):
            if isinstance(target, LeftOut):
                continue
            for trial in attack(target, PER_FAMILY, seed=1):
                made[trial.family] += 1
                assert not trial.wrong, (target.name, target.task, trial.kind, trial.candidate, trial.report)
    assert min(made.values()) > 250
