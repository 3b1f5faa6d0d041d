"""The SWE-Proof format on its worked example: three issues of a small repository of our own."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from verulaw_rl.cli.main import build_app
from verulaw_rl.errors import UserError
from verulaw_rl.suites.sources import by_repository, suite_programs
from verulaw_rl.suites.swe_proof import check_files, check_tests, read_issues
from verulaw_rl.verification.sandbox import detect_sandbox

EXAMPLE = Path(__file__).parents[1] / "data" / "swe_proof"


def check(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(build_app("swe-proof"), ["swe-proof", str(folder), *words])


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLE, tmp_path / "swe_proof"))


@pytest.mark.unit
def test_the_example_is_whole() -> None:
    done = check(EXAMPLE, "--no-models", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {"issues": 3, "problems": [], "tests_not_run": []}


@pytest.mark.unit
def test_every_kind_of_problem_is_said(copy: Path) -> None:
    (copy / "models" / "stockroom-1.before.py").unlink()
    shutil.copy(copy / "patches" / "stockroom-3.patch", copy / "patches" / "stockroom-2.patch")
    broken = (copy / "patches" / "stockroom-3.patch").read_text().replace("needed += minimum", "needed += nothing")
    (copy / "patches" / "stockroom-3.patch").write_text(broken)
    done = check(copy, "--no-models")
    assert done.exit_code == 1
    said = done.stdout
    assert "stockroom-1: models/stockroom-1.before.py is missing" in said
    # The patch of another issue applies, and leaves this one's test failing.
    assert "test_a_shelf_at_the_minimum_is_not_short does not pass after the patch" in said
    assert "patches/stockroom-3.patch does not apply" in said
    assert "3 issues, 3 with problems" in said


@pytest.mark.unit
def test_tests_that_tell_nothing_are_refused(copy: Path) -> None:
    issue = read_issues(copy)[0]
    idle = issue.model_copy(update={"fail_to_pass": ("checks.levels.Levels.test_reserve_all",)})
    found = list(check_tests(copy, idle, detect_sandbox()))
    assert [p.what for p in found] == ["checks.levels.Levels.test_reserve_all does not fail before the patch"]


@pytest.mark.unit
def test_a_patch_may_not_reach_into_the_tests(copy: Path) -> None:
    issue = read_issues(copy)[0]
    tests = (copy / "tests" / "stockroom-1.patch").read_text()
    (copy / "patches" / "stockroom-1.patch").write_text(tests)
    assert [p.what for p in check_files(copy, issue)] == ["patch and tests both change checks/levels.py"]


@pytest.mark.unit
def test_rows_that_are_no_issues(copy: Path) -> None:
    rows = (copy / "issues.jsonl").read_text().splitlines()
    for text, says in (
        (rows[0] + "\n" + rows[0], "comes twice"),
        ('{"id": "a b"}', "no issue"),
        (rows[0].replace('"issue"', '"problem"'), "problem"),
        ("", "holds no issue"),
    ):
        (copy / "issues.jsonl").write_text(text)
        with pytest.raises(UserError, match=says):
            read_issues(copy)
    with pytest.raises(UserError, match="cannot read"):
        read_issues(copy / "nowhere")


@pytest.mark.unit
def test_models_are_programs_of_a_suite_split_by_repository() -> None:
    name, programs, _ = suite_programs("swe-proof", None, ".py", EXAMPLE)
    assert name == "swe-proof-v1"
    assert [(p.name, p.family) for p in programs] == [(f"stockroom-{n}", "stockroom") for n in (1, 2, 3)]
    assert by_repository("swe-proof")
    assert not by_repository("dafnybench")


@pytest.mark.tool
def test_the_models_verify_and_those_before_the_patch_do_not() -> None:
    from verulaw_rl.verification.registry import get_adapter

    try:
        get_adapter("nagini")
    except UserError as missing:
        pytest.skip(str(missing))
    done = check(EXAMPLE, "--no-tests", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["problems"] == []
