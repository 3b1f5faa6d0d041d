"""What an honest author wrote is accepted against what the task form leaves of it."""

import random

import pytest

from tests.audit.verdicts import REPAIR, WRITE, audit, constructs
from verulaw_rl.languages.registry import get_language

pytestmark = pytest.mark.unit

DAFNY = get_language("dafny")


def test_every_seed_reference(repository):
    programs = sorted((repository / "verulaw_rl" / "suites" / "seed" / "dafny").rglob("*.dfy"))
    assert len(programs) >= 80
    rejected = {}
    for path in programs:
        source = path.read_text()
        assert DAFNY.escapes(source) == (), path
        for task, given in ((REPAIR, DAFNY.strip_annotations(source)), (WRITE, DAFNY.strip_bodies(source))):
            report = audit(task, given, source)
            if report.findings:
                rejected[path.name, task] = report
    assert rejected == {}


def test_public_programs(shared_data):
    """A sample of DafnyBench against its stripped forms: rejected is only what the author left unproved."""
    folder = shared_data / "dafnybench" / "ground_truth"
    programs = random.Random(0).sample(sorted(folder.glob("*.dfy")), 120)
    accepted = 0
    for path in programs:
        source = path.read_bytes().decode("utf-8", "replace")
        left_out = {f.construct for f in DAFNY.escapes(source)}
        repaired = audit(REPAIR, DAFNY.strip_annotations(source), source)
        written = audit(WRITE, DAFNY.strip_bodies(source), source)
        accepted += not repaired.findings and not written.findings
        found = constructs(repaired) | constructs(written)
        unproved = {"bodyless_target": "bodyless_declaration"}
        assert {unproved.get(c, c) for c in found} <= left_out | {"such_that_implementation"}, path.name
    assert accepted >= 100
