"""``verulaw-rl inspect``."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from verulaw_rl.cli.main import build_app

pytestmark = pytest.mark.unit

PROGRAM = """\
method M(n: nat) returns (r: nat)
  ensures r == n
{
  r := 0;
  while r < n
    invariant r <= n
  { r := r + 1; }
}
lemma L() ensures true
"""


def inspect(*arguments: str) -> str:
    result = CliRunner().invoke(build_app("inspect"), ["inspect", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_json_has_one_object_a_file(tmp_path: Path) -> None:
    good, broken, empty, binary = (tmp_path / name for name in ("a.dfy", "b.dfy", "c.dfy", "d.dfy"))
    good.write_text(PROGRAM)
    broken.write_text("method M( { }")
    empty.write_text("")
    binary.write_bytes(b"\xff\xfe")
    files = [str(p) for p in (good, broken, empty, binary, tmp_path / "none.dfy")]
    rows = [json.loads(line) for line in inspect("--language", "dafny", *files, "--json").splitlines()]
    assert [row["file"] for row in rows] == files
    assert [row["lossless"] for row in rows] == [True, True, True, False, False]
    first = rows[0]
    assert first["error"] is None
    m, lemma = first["declarations"]
    assert (m["kind"], m["name"], m["line"], m["body"]) == ("method", "M", 1, True)
    assert m["clauses"] == [{"kind": "ensures", "line": 2, "expression": "r == n"}]
    assert m["loops"] == [{"line": 5, "clauses": [{"kind": "invariant", "line": 6, "expression": "r <= n"}]}]
    assert (lemma["kind"], lemma["name"], lemma["line"], lemma["body"]) == ("lemma", "L", 9, False)
    assert "line 1" in rows[1]["error"]
    assert rows[2]["error"] == "the file is empty"
    assert "UTF-8" in rows[3]["error"]
    assert "No such file" in rows[4]["error"]


def test_a_person_sees_declarations_and_regions(tmp_path: Path) -> None:
    path = tmp_path / "a.dfy"
    path.write_text(PROGRAM)
    output = inspect(str(path))
    assert "method M" in output
    assert "invariant r <= n" in output
    assert "lemma L (no body)" in output
    assert "annotations: 1 invariant" in output
