"""Finding Dafny: what is named wrongly or missing is said in one line that names the remedy."""

import shutil
import sys

import pytest

from verulaw_rl.errors import UserError
from verulaw_rl.verification.dafny.find import find_dafny
from verulaw_rl.verification.toolchains import normalised

pytestmark = pytest.mark.tool


def test_versions_have_three_numbers():
    assert normalised("Dafny 2.3.0.10506") == "2.3.0"
    assert normalised("4.11.0+fcb2042d6d043a2634f0854338c08feeaaaf4ae2") == "4.11.0"
    assert normalised("Z3 version 4.8.5 - 64 bit") == "4.8.5"
    assert normalised("nothing") == ""


def test_installed():
    try:
        tool = find_dafny()
    except UserError as error:
        pytest.skip(str(error))
    assert tool.dialect == ("2" if tool.version.startswith("2.") else "4")


def test_dafny_names_nothing(monkeypatch):
    monkeypatch.setenv("DAFNY", "/nowhere/dafny")
    with pytest.raises(UserError, match=r"DAFNY=/nowhere/dafny .*install_toolchains\.sh"):
        find_dafny()


def test_nothing_on_the_path(monkeypatch, tmp_path):
    monkeypatch.delenv("DAFNY", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("VERULAW_HOME", str(tmp_path))
    with pytest.raises(UserError, match=r"not on PATH.*install_toolchains\.sh"):
        find_dafny()


@pytest.mark.parametrize(
    ("prints", "said"),
    [("3.13.1", "supported are 2.3 and 4.x"), ("1.9.9.40414", "supported are"), ("hello", "does not say its version")],
)
def test_another_version(monkeypatch, tmp_path, prints, said):
    program = tmp_path / "dafny"
    program.write_text(f"#!{sys.executable}\nprint({prints!r})\n")
    program.chmod(0o755)
    monkeypatch.setenv("DAFNY", str(program))
    with pytest.raises(UserError, match=said):
        find_dafny()


def test_a_newer_one_is_found_in_the_toolchains(monkeypatch, tmp_path):
    folder = tmp_path / "toolchains/dafny-4.11.0/dafny"
    folder.mkdir(parents=True)
    program = folder / "dafny"
    program.write_text(f"#!{sys.executable}\nprint('4.11.0+fcb2042')\n")
    program.chmod(0o755)
    monkeypatch.delenv("DAFNY", raising=False)
    monkeypatch.delenv("VERULAW_Z3", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("VERULAW_HOME", str(tmp_path))
    tool = find_dafny()
    assert (tool.version, tool.dialect, tool.server, tool.solver) == ("4.11.0", "4", None, None)
    assert folder in tool.readable


def test_solver_names_nothing(monkeypatch):
    try:
        find_dafny()
    except UserError as error:
        pytest.skip(str(error))
    monkeypatch.setenv("VERULAW_Z3", "/nowhere/z3")
    with pytest.raises(UserError, match="VERULAW_Z3=/nowhere/z3"):
        find_dafny()


def test_debians_solver_is_warned_of(monkeypatch, tmp_path):
    try:
        tool = find_dafny()
    except UserError as error:
        pytest.skip(str(error))
    if tool.dialect != "2":
        pytest.skip("Dafny 4 brings its own solver")
    monkeypatch.delenv("VERULAW_Z3", raising=False)
    monkeypatch.setenv("VERULAW_HOME", str(tmp_path))
    if shutil.which("z3") is None:
        with pytest.raises(UserError, match=r"needs Z3 4\.8\.5"):
            find_dafny()
    else:
        assert find_dafny().notes
