"""``verify``, ``diagnose`` and ``doctor`` as a person or a script calls them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from verulaw_rl.errors import UserError
from verulaw_rl.verification.dafny.find import find_dafny

pytestmark = pytest.mark.tool

GOOD = "method Next(x: int) returns (y: int)\n  ensures y > x\n{\n  y := x + 1;\n}\n"
BAD = GOOD.replace("x + 1", "x - 1")
RECORDED = """\
a.dfy(5,4): Error: assertion could not be proved
a.dfy(9,2): Error: a postcondition could not be proved on this return path
a.dfy(8,11): Related location: this is the postcondition that could not be proved

Dafny program verifier finished with 0 verified, 2 errors
"""


def call(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from verulaw_rl.cli.main import main; main()", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )


@pytest.fixture(scope="module")
def dafny():
    try:
        return find_dafny()
    except UserError as error:
        pytest.skip(str(error))


def test_verify_goes_on_past_files_that_cannot_be_read(dafny, tmp_path):
    (tmp_path / "good.dfy").write_text(GOOD)
    (tmp_path / "bad.dfy").write_text(BAD)
    (tmp_path / "empty.dfy").write_text("")
    (tmp_path / "binary.dfy").write_bytes(b"\xff\xfe\x00")
    names = ["bad.dfy", "binary.dfy", "empty.dfy", "missing.dfy", "good.dfy"]
    done = call("verify", *(tmp_path / n for n in names), "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [Path(r["file"]).name for r in rows] == names
    assert [r["status"] for r in rows] == ["failed", "invalid", "invalid", "invalid", "verified"]
    assert [r["complete"] for r in rows] == [True, False, False, False, True]
    assert done.returncode == 1
    assert done.stderr == ""
    (diagnostic,) = rows[0]["diagnostics"]
    assert {k: diagnostic[k] for k in ("category", "declaration", "clause")} == {
        "category": "postcondition",
        "declaration": "Next",
        "clause": "ensures y > x",
    }
    assert diagnostic["line"] == 3
    assert rows[0]["tool"]["version"] == dafny.version


def test_verify_says_it_to_a_person(dafny, tmp_path):
    (tmp_path / "good.dfy").write_text(GOOD)
    done = call("verify", tmp_path / "good.dfy")
    assert done.returncode == 0
    assert done.stdout == f"{tmp_path / 'good.dfy'}: verified: 1 verified, 0 errors\n"


def test_misuse(tmp_path):
    (tmp_path / "good.dfy").write_text(GOOD)
    assert call("verify").returncode == 2
    missing = call("verify", tmp_path / "good.dfy", DAFNY="/nowhere/dafny")
    assert missing.returncode == 2
    assert "DAFNY=/nowhere/dafny" in missing.stderr
    assert len(missing.stderr.splitlines()) == 1
    assert call("diagnose", "--tool", "cobol", tmp_path / "good.dfy").returncode == 2


def test_diagnose_reads_recorded_output(tmp_path):
    (tmp_path / "a.txt").write_text(RECORDED)
    done = call("diagnose", "--tool", "dafny", tmp_path / "a.txt", "--json", DAFNY="/nowhere/dafny")
    row = json.loads(done.stdout)
    assert (row["status"], row["complete"], done.returncode) == ("failed", True, 0)
    assert [(d["category"], d["line"], d["column"]) for d in row["diagnostics"]] == [
        ("assertion", 5, 4),
        ("postcondition", 9, 2),
    ]
    assert call("diagnose", "--tool", "dafny", tmp_path / "missing").returncode == 1


def test_doctor(dafny):
    done = call("doctor", "--json", NAGINI="/nowhere/nagini")  # it takes its time, and has tests of its own
    state = json.loads(done.stdout)
    assert state["tools"]["dafny"]["found"]
    assert state["tools"]["dafny"]["works"]
    assert state["tools"]["dafny"]["version"] == dafny.version
    assert state["sandbox"] in ("bwrap", "none")
    assert done.returncode == 0


def test_doctor_says_what_is_missing():
    done = call("doctor", "--json", DAFNY="/nowhere/dafny", NAGINI="/nowhere/nagini", VERUS="/nowhere/verus")
    tools = json.loads(done.stdout)["tools"]
    assert not any(state["found"] for state in tools.values())
    assert "scripts/install_toolchains.sh dafny" in tools["dafny"]["fix"]
    assert "scripts/install_toolchains.sh nagini" in tools["nagini"]["fix"]
    assert "https://github.com/verus-lang/verus/releases" in tools["verus"]["fix"]
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name what to install"),
        (("ada",), "unknown argument ada"),
        (("dafny", "--from", "moon"), "use debian, release or dotnet"),
    ],
)
def test_install_script_refuses(repository, arguments, said):
    done = subprocess.run(
        ["bash", "scripts/install_toolchains.sh", *arguments],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert said in done.stderr


def test_install_script_uses_what_is_there(dafny, repository):
    done = subprocess.run(
        ["bash", "scripts/install_toolchains.sh", "dafny"], cwd=repository, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert f"Using the Dafny at {dafny.path}" in done.stderr
