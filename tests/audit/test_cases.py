"""The recorded cheats and honest edits, each with the verdict that it must get."""

import pytest

from tests.audit.verdicts import audit, recorded_cases
from verulaw_rl.languages.base import Task

pytestmark = pytest.mark.unit

NEEDS_VERIFIER = {"d_vacuous_call_certificate"}
"""Clean text in which the verifier itself is unsound: only a vacuity check sees it."""


def test_every_static_case_comes_out_as_it_says(shared_data):
    cases = recorded_cases(shared_data)
    assert len(cases) >= 60
    wrong = {}
    for name, case, given, candidate in cases:
        if name not in NEEDS_VERIFIER:
            report = audit(Task(case["task"]), given, candidate)
            if report.verdict != case["expected"]:
                wrong[name] = (case["expected"], report)
    assert wrong == {}


def test_findings_say_where_and_what_to_do(shared_data):
    for name, case, given, candidate in recorded_cases(shared_data):
        lines = max(given.count("\n"), candidate.count("\n")) + 2
        for finding in audit(Task(case["task"]), given, candidate).findings:
            assert 1 <= finding.line <= lines, name
            assert finding.message, name
            assert finding.advice, name
