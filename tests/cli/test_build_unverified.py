"""``build --unverified``: task forms by syntax alone, marked in every row, and of no use for training."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from verulaw_rl.cli.main import build_app
from verulaw_rl.config.suite import FileSuite
from verulaw_rl.errors import UserError
from verulaw_rl.languages.base import Task
from verulaw_rl.suites.prepare import prepare_suite

pytestmark = pytest.mark.unit


def build(out: Path, *more: str) -> tuple[int, str, str]:
    command = ["build", "--language", "verus", "--unverified", "--json", "--out", str(out), *more]
    done = CliRunner().invoke(build_app("build"), command)
    return done.exit_code, done.stdout, done.stderr


def test_every_row_is_marked_and_nothing_trains_on_it(tmp_path: Path) -> None:
    out = tmp_path / "seed-verus.jsonl"
    code, said, beside = build(out, "--suite", "seed")
    assert code == 0, beside
    assert "unverified" in beside
    assert json.loads(said)["by_task"]["code_generation"] >= 30
    assert all(json.loads(line)["unverified"] for line in out.read_text(encoding="utf-8").splitlines())
    with pytest.raises(UserError, match="unverified"):
        prepare_suite(FileSuite(path=str(out)), Task.ANNOTATION_REPAIR, lambda program: pytest.fail("asked"))


def test_humaneval_verus(tmp_path: Path, shared_data: Path) -> None:
    """168 files: 167 programs, of which 72 are unwritten drafts and 2 trust a contract of their own."""
    out = tmp_path / "humaneval-verus.jsonl"
    code, said, beside = build(out, "--suite", "humaneval-verus", "--root", str(shared_data / "humaneval-verus"))
    assert code == 0, beside
    result = json.loads(said)
    assert result["by_task"] == {"annotation_repair": 86, "code_generation": 93}
    reasons = [r["reason"] for r in result["rejected"] if r["task"] == "code_generation"]
    assert {r: reasons.count(r) for r in reasons} == {
        "no bodies to write": 72,
        "escape in the program": 2,
        "our parser cannot read it": 1,
    }
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert not any("CANONICAL SOLUTION" in row["given"] for row in rows)
