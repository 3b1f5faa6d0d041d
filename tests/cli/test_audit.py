"""The audit command: verdicts, exit statuses, and one line for every misuse."""

import json

import pytest
from typer.testing import CliRunner

from tests.audit.verdicts import GIVEN, edit
from verulaw_rl.cli.main import build_app

pytestmark = pytest.mark.unit


def run(*arguments):
    return CliRunner().invoke(build_app("audit"), ["audit", *map(str, arguments)])


@pytest.fixture
def files(tmp_path):
    def write(candidate, given=GIVEN):
        (tmp_path / "given.dfy").write_text(given)
        (tmp_path / "candidate.dfy").write_text(candidate)
        return tmp_path / "given.dfy", tmp_path / "candidate.dfy"

    return write


REPAIR = ("--language", "dafny", "--task", "annotation_repair")


def test_accepted(files):
    done = run(*REPAIR, *files(GIVEN + "\n// more\n"), "--json", "--static")
    assert done.exit_code == 0
    assert json.loads(done.stdout) == {
        "verdict": "accept",
        "findings": [],
        "vacuity_checked": False,
        "unreadable": None,
    }


def test_what_cannot_be_read_is_said(files):
    done = run(
        *REPAIR, *files(edit("  while i < |s|\n", "  while i < |s|\n    invariant i <=\n")), "--json", "--static"
    )
    row = json.loads(done.stdout)
    assert row["verdict"] == "accept"
    assert row["unreadable"].startswith("line ")


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [("  ensures t == t\n", "", "reject_spec"), ("    t := 7;\n", "    t := 7;\n    assume false;\n", "reject_proof")],
)
def test_rejected(files, old, new, verdict):
    done = run(*REPAIR, *files(edit(old, new)), "--json")
    assert done.exit_code == 1
    row = json.loads(done.stdout)
    assert row["verdict"] == verdict
    assert set(row["findings"][0]) == {"kind", "construct", "declaration", "line", "message", "advice"}
    shown = run(*REPAIR, *files(edit(old, new)))
    assert shown.exit_code == 1
    assert shown.stdout.startswith(verdict)


def test_cases_of_the_chosen_language(tmp_path, files):
    given, candidate = files(edit("  ensures t == t\n", ""))
    for name, expected in (("good", "reject_spec"), ("bad", "accept")):
        (tmp_path / f"{name}.given.dfy").write_text(given.read_text())
        (tmp_path / f"{name}.candidate.dfy").write_text(candidate.read_text())
        case = {"name": name, "language": "dafny", "task": "annotation_repair", "expected": expected}
        (tmp_path / f"{name}.json").write_text(json.dumps(case))
    (tmp_path / "other.json").write_text(json.dumps({"name": "other", "language": "nagini"}))
    done = run("--language", "dafny", "--cases", tmp_path, "--json", "--static")
    assert done.exit_code == 1
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(r["name"], r["expected"], r["verdict"]) for r in rows] == [
        ("bad", "accept", "reject_spec"),
        ("good", "reject_spec", "reject_spec"),
    ]
    (tmp_path / "bad.json").unlink()
    assert run("--cases", tmp_path, "--static").exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("given.dfy",),
        (*REPAIR, "no-such-file.dfy", "candidate.dfy"),
        (*REPAIR, "given.dfy", "latin1.dfy"),
        (*REPAIR, ".", "candidate.dfy"),
        ("--task", "no_such_task", "given.dfy", "candidate.dfy"),
        ("given.dfy", "candidate.dfy"),
        ("--language", "cobol", "--task", "annotation_repair", "given.dfy", "candidate.dfy"),
        ("--cases", "no-such-folder"),
        ("--cases", "."),
    ],
)
def test_misuse_is_one_line_and_status_2(files, tmp_path, monkeypatch, arguments):
    files(GIVEN)
    (tmp_path / "latin1.dfy").write_bytes("// für\n".encode("latin-1"))
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("verulaw-rl: error: ")
