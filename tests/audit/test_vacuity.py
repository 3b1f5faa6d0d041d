"""What only the verifier can tell: clean text in which `false` is provable, through the command."""

import json
import shutil

import pytest
from typer.testing import CliRunner

from tests.audit.test_cases import NEEDS_VERIFIER
from verulaw_rl.cli.main import build_app

pytestmark = pytest.mark.tool

HONEST = {"h_d_lemma_requires_false_contrapositive", "h_d_calc_and_asserts", "h_d_whitespace_reflow"}


def test_vacuity_completes_the_comparison_of_texts(shared_data, tmp_path):
    for name in NEEDS_VERIFIER | HONEST:
        for path in (shared_data / "audit-cases").glob(f"{name}.*"):
            shutil.copy(path, tmp_path)
    done = CliRunner().invoke(build_app("audit"), ["audit", "--cases", str(tmp_path), "--json"])
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {r["name"] for r in rows} == NEEDS_VERIFIER | HONEST
    assert [r["verdict"] for r in rows] == [r["expected"] for r in rows]
    assert all(r["vacuity_checked"] for r in rows)
    assert done.exit_code == 0
