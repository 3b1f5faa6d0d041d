"""A build that is stopped goes on where it was."""

from pathlib import Path

import pytest

from verulaw_rl.languages.base import Task
from verulaw_rl.suites.bundled import bundled_suite
from verulaw_rl.suites.journal import Journal, Rejection

pytestmark = pytest.mark.unit

SETTINGS = {"limits": {"solver_s": 30.0}}


def filled(path: Path) -> None:
    with Journal(path, SETTINGS) as journal:
        journal.add("one", "text 1", (list(bundled_suite().instances[:1]), []))
        journal.add("two", "text 2", ([], [Rejection("two", Task.CODE_GENERATION, "reference: failed", "é")]))


def test_what_was_added_is_there_again(tmp_path: Path):
    path = tmp_path / "suite.jsonl.part"
    filled(path)
    with Journal(path, SETTINGS) as journal:
        assert len(journal) == 2
        assert journal.get("one", "text 1") == ([bundled_suite().instances[0]], [])
        assert journal.get("two", "text 2") == (
            [],
            [Rejection("two", Task.CODE_GENERATION, "reference: failed", "é")],
        )
        assert journal.get("one", "another text") is None


def test_a_torn_last_line_is_left_out_and_written_over(tmp_path: Path):
    path = tmp_path / "suite.jsonl.part"
    filled(path)
    path.write_bytes(path.read_bytes()[:-10])
    with Journal(path, SETTINGS) as journal:
        assert journal.get("two", "text 2") is None
        journal.add("three", "", ([], []))
    with Journal(path, SETTINGS) as journal:
        assert len(journal) == 2
        assert journal.get("three", "") == ([], [])


def test_other_settings_start_anew(tmp_path: Path):
    path = tmp_path / "suite.jsonl.part"
    filled(path)
    with Journal(path, {"limits": {"solver_s": 15.0}}) as journal:
        assert len(journal) == 0


def test_a_finished_build_leaves_none(tmp_path: Path):
    path = tmp_path / "suite.jsonl.part"
    with Journal(path, SETTINGS) as journal:
        journal.remove()
    assert not path.exists()
