"""The recorded cheats and honest edits, each with the verdict that it must get."""

import pytest

from tests.audit.verdicts import audit, recorded_cases
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.registry import language_names

pytestmark = pytest.mark.unit

NEEDS_VERIFIER = {"d_vacuous_call_certificate"}
"""Clean text in which the verifier itself is unsound: only a vacuity check sees it."""
AT_LEAST = {"dafny": 60, "nagini": 27, "verus": 20}
"""Cases recorded for each language."""


@pytest.mark.parametrize("language", language_names())
def test_every_static_case_comes_out_as_it_says(shared_data, language):
    cases = recorded_cases(shared_data, language)
    assert len(cases) >= AT_LEAST[language]
    wrong = {}
    for name, case, given, candidate in cases:
        if name not in NEEDS_VERIFIER:
            report = audit(Task(case["task"]), given, candidate, language)
            if report.verdict != case["expected"]:
                wrong[name] = (case["expected"], report)
    assert wrong == {}


@pytest.mark.parametrize("language", language_names())
def test_findings_say_where_and_what_to_do(shared_data, language):
    for name, case, given, candidate in recorded_cases(shared_data, language):
        lines = max(given.count("\n"), candidate.count("\n")) + 2
        for finding in audit(Task(case["task"]), given, candidate, language).findings:
            assert 1 <= finding.line <= lines, name
            assert finding.message, name
            assert finding.advice, name
