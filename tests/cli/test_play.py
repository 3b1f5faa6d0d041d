"""``verulaw-rl play`` through a pipe, against the installed verifier."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.episodes.factory import GIVEN, REFERENCE, make_instance
from verulaw_rl.cli.main import main
from verulaw_rl.episodes.record import record_from_row
from verulaw_rl.suites.instance import Suite, save_suite

pytestmark = pytest.mark.tool


@pytest.fixture
def suite_file(tmp_path: Path) -> Path:
    path = tmp_path / "suite.jsonl"
    save_suite(Suite("hand", (make_instance(),)), path)
    return path


def play(suite: Path, stdin: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from verulaw_rl.cli.main import main; main()", "play", "--suite", str(suite)]
    return subprocess.run([*command, *options], input=stdin, capture_output=True, text=True, timeout=300, check=False)


def test_an_episode_to_its_verified_end(suite_file: Path, tmp_path: Path) -> None:
    turn = tmp_path / "turn.txt"
    turn.write_text(f"<submit>\n{REFERENCE}</submit>\n", encoding="utf-8")
    done = play(suite_file, f"nothing\n.\n<verify>\n{GIVEN}</verify>\n.\n@{turn}\n", "--instance", make_instance().key)
    assert done.returncode == 0, done.stderr
    assert "Invalid turn: the turn holds no action." in done.stdout
    assert "- postcondition, line 5" in done.stdout
    assert "The episode ended: verified. Reward 2.750." in done.stdout


def test_the_record_as_json(suite_file: Path) -> None:
    stdin = "<submit>\n@5\n    invariant i == n\n</submit>\n.\n"
    done = play(suite_file, stdin, "--hand-in", "insertions", "--prompt", "compact", "--json")
    assert done.returncode == 0, done.stderr
    record = record_from_row(json.loads(done.stdout))
    assert record.end_reason == "input_ended"
    assert record.turns[0].observation == "unverified\n@5 line 1 invariant entry"
    assert "1: method Count" in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--instance", "nowhere"], "no instance 'nowhere'"),
        (["--split", "nowhere"], "no instance in the split 'nowhere'"),
        (["--environment", "envs/nothing.py"], "no file 'envs/nothing.py'"),
        (["--hand-in", "half"], "--hand-in: "),
        (["--turns", "0"], "--turns: "),
    ],
)
def test_bad_input_is_one_line(
    suite_file: Path, options: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(sys, "argv", ["verulaw-rl", "play", "--suite", str(suite_file), *options])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert message in said
    assert len(said.strip().splitlines()) == 1
