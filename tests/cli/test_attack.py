"""``verulaw-rl attack`` on a folder of one program, on the seed suite, and on an audit with a hole."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from verulaw_rl.audit import attack as attacks
from verulaw_rl.audit.check import AuditReport
from verulaw_rl.cli.main import build_app

pytestmark = pytest.mark.unit

PROGRAM = """\
method Double(n: nat) returns (m: nat)
  ensures m == 2 * n
{
  m := 0;
  var i := 0;
  while i < n
    invariant i <= n
    invariant m == 2 * i
  {
    i := i + 1;
    m := m + 2;
  }
}
"""


def run(*arguments: str):
    return CliRunner().invoke(build_app("attack"), ["attack", *arguments])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "double.dfy").write_text(PROGRAM)
    (programs / "believed.dfy").write_text("lemma L() ensures false\n")
    return programs


def test_a_folder(folder: Path, tmp_path: Path):
    result = run(str(folder), "--per-family", "10", "--out", str(tmp_path / "wrong"), "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["programs"], found["targets"], found["wrong"]) == (1, 2, 0)
    assert found["left_out"] == {"its author left something unproved: bodyless_declaration": 2}
    for family, accepted in (("specification", 0), ("proof", 0), ("honest", 20)):
        assert (found["families"][family]["made"], found["families"][family]["accepted"]) == (20, accepted)
    assert not (tmp_path / "wrong").exists()
    again = run(str(folder), "--per-family", "10", "--out", str(tmp_path / "wrong"), "--json")
    assert json.loads(again.stdout) == found


def test_a_table_for_a_person(folder: Path):
    result = run(str(folder), "--per-family", "2")
    assert result.exit_code == 0
    assert "left out 2: its author left something unproved" in result.stdout
    assert "honest" in result.stdout


def test_a_hole_and_a_false_alarm_are_written_as_cases(folder: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(attacks, "check", lambda *_: AuditReport(()))
    out = tmp_path / "wrong"
    result = run(str(folder), "--per-family", "3", "--out", str(out))
    assert result.exit_code == 1
    cases = sorted(out.glob("*.json"))
    assert len(cases) == 12  # three of each dishonest family, for both tasks
    case = json.loads(cases[0].read_text())
    assert (case["language"], case["verdict"]) == ("dafny", "accept")
    assert case["expected"] in ("reject_spec", "reject_proof")
    assert cases[0].with_suffix("").with_suffix("").name in {p.name.split(".")[0] for p in out.glob("*.candidate.dfy")}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "name either SUITE or --suite"),
        (("seed", "--suite", "dafnybench"), "name either SUITE or --suite"),
        (("--suite", "dafnybench"), "needs --root"),
        (("no/such.jsonl",), "cannot read suite"),
    ],
)
def test_misuse(arguments: tuple[str, ...], says: str):
    result = run(*arguments)
    assert result.exit_code == 2
    assert says in result.output


@pytest.mark.tool
def test_the_verifier_is_asked_about_a_sample(folder: Path):
    result = run(str(folder), "--per-family", "4", "--verify", "2", "--workers", "1", "--json")
    assert result.exit_code == 0, result.output
    families = json.loads(result.stdout)["families"]
    assert [f["verifier_asked"] for f in families.values()] == [2, 2, 2]
    assert families["honest"]["verifier_took"] == 2
