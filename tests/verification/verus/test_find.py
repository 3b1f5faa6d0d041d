"""Finding Verus: what is missing or too old is said in one line that names the remedy. No Verus was at hand."""

import json
import sys
from pathlib import Path

import pytest

from verulaw_rl.errors import UserError
from verulaw_rl.evidence.checks import read_sites
from verulaw_rl.languages.base import Check, Point
from verulaw_rl.languages.verus.language import VERUS
from verulaw_rl.verification.verdict import ToolIdentity
from verulaw_rl.verification.verus.adapter import HOSTILE, KNOWN_GOOD, VerusAdapter
from verulaw_rl.verification.verus.find import find_verus
from verulaw_rl.verification.verus.output import parse_output
from verulaw_rl.verification.verus.verdicts import make_verdict

pytestmark = pytest.mark.unit


def test_nothing_on_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("VERUS", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("VERULAW_HOME", str(tmp_path))
    with pytest.raises(UserError, match=r"not on PATH.*github\.com/verus-lang.*set VERUS.*never with a live Verus"):
        find_verus()


def test_verus_names_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERUS", "/nowhere/verus")
    with pytest.raises(UserError, match="VERUS=/nowhere/verus names no program"):
        find_verus()


def stand_in(folder: Path, version: str, options: str = "--no-cheating") -> Path:
    """A program that says of itself what Verus's source says."""
    said = json.dumps({"verus": {"version": version, "toolchain": "1.95.0"}})
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "verus"
    program.write_text(f"#!{sys.executable}\nimport sys\nprint({options!r} if '--help' in sys.argv else {said!r})\n")
    program.chmod(0o755)
    return program


def test_found_in_the_toolchains(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("VERUS", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("VERULAW_HOME", str(tmp_path))
    program = stand_in(tmp_path / "toolchains/verus-0.2026.06.07/verus-x86-linux", "0.2026.06.07.cd03505")
    tool = find_verus()
    assert (tool.path, tool.version, tool.no_cheating) == (program.resolve(), "0.2026.06.07.cd03505", True)
    assert program.resolve().parent in tool.readable
    assert "--no-cheating" in VerusAdapter().identity().flags


def test_an_old_release_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Releases before 2025-05 check no termination, so endless code proves anything."""
    monkeypatch.setenv("VERUS", str(stand_in(tmp_path, "0.2025.03.01.abc")))
    with pytest.raises(UserError, match=r"0\.2025\.03\.01\.abc, which proves no termination"):
        find_verus()
    monkeypatch.setenv("VERUS", str(stand_in(tmp_path / "other", "0.2025.06.01.abc", "")))
    assert not find_verus().no_cheating


def test_the_known_good_program_can_be_read() -> None:
    assert VERUS.parse(KNOWN_GOOD).error is None
    for program in HOSTILE:
        assert VERUS.parse(program).lossless


def test_what_fails_at_a_check_is_that_checks_alone() -> None:
    """From instrumented text through rustc's JSON back to the sites, as the collector reads them."""
    exit_, declaration = Point("exit"), "known_good"
    checks = (Check("a", declaration, exit_, "y > x"), Check("b", declaration, exit_, "false"))
    instrumented = VERUS.instrument(KNOWN_GOOD, checks)
    site = next(s for s in instrumented.sites if s.check == "b")
    span = {"file_name": "p.rs", "line_start": site.first_line, "column_start": 26, "is_primary": True, "label": None}
    failure = {"message": "assertion failed", "level": "error", "code": None, "spans": [span]}
    document = {"verification-results": {"success": False, "verified": 0, "errors": 1}}
    verdict = make_verdict(
        parse_output(f"{json.dumps(failure)}\n{json.dumps(document)}"),
        instrumented.text,
        tool=ToolIdentity("verus", "", ""),
        file="p.rs",
    )
    sites = read_sites(instrumented, verdict)
    assert {check: [s.proved for s in found] for check, found in sites.items()} == {"a": [True], "b": [False]}
    assert [d.declaration for d in verdict.diagnostics] == [declaration]
