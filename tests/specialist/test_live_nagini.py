"""The model-free specialist over live Nagini: its templates prove two seed programs."""

import pytest

from verulaw_rl.evidence.live import pool_verifier
from verulaw_rl.languages.nagini.language import NAGINI
from verulaw_rl.specialist.houdini import surviving
from verulaw_rl.suites.seed import seed_programs
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.verdict import Limits, Status

PROVED = ("arithmetic_loops/multiply_by_adding", "lists/copy_list")


@pytest.mark.tool
def test_templates_prove_what_is_stripped() -> None:
    texts = {p.name: p.text for p in seed_programs("nagini")}
    with Pool(PoolSettings(workers=1)) as pool:
        verify = pool_verifier(pool, "nagini", Limits.of_work(90))
        for name in PROVED:
            stripped = NAGINI.strip_annotations(texts[name])
            assert verify(stripped).status is Status.FAILED
            completed = surviving(NAGINI, stripped, verify, max_calls=12)
            assert completed is not None, name
            assert verify(completed).status is Status.VERIFIED, completed
            assert NAGINI.strip_annotations(completed).split() == stripped.split()
