"""Finding Nagini: what is named wrongly or missing is said in one line that names the remedy."""

import shutil
import subprocess

import pytest

from verulaw_rl.errors import UserError
from verulaw_rl.verification.nagini.find import find_nagini

pytestmark = pytest.mark.tool

REMEDY = r"run scripts/install_toolchains\.sh nagini"


def test_the_installed_one(nagini):
    assert nagini.version.startswith("1.2.")
    assert nagini.solver_version == "4.8.7"
    assert int(nagini.java_version.split(".")[0]) >= 11
    assert nagini.python_version >= "3.1"


def test_a_wrong_name(monkeypatch):
    monkeypatch.setenv("NAGINI", "/nowhere/nagini")
    with pytest.raises(UserError, match=rf"NAGINI=/nowhere/nagini names no program.*{REMEDY}"):
        find_nagini()


def test_none(monkeypatch, tmp_path):
    monkeypatch.delenv("NAGINI", raising=False)
    monkeypatch.setenv("VERULAW_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match=rf"Nagini is not installed.*{REMEDY}"):
        find_nagini()


def test_one_without_its_environment(monkeypatch, tmp_path):
    (tmp_path / "nagini").write_text("#!/bin/sh\n")
    (tmp_path / "nagini").chmod(0o755)
    monkeypatch.setenv("NAGINI", str(tmp_path / "nagini"))
    with pytest.raises(UserError, match=rf"no python.*{REMEDY}"):
        find_nagini()


def test_a_python_that_has_none(monkeypatch, tmp_path):
    (tmp_path / "nagini").write_text("#!/bin/sh\n")
    (tmp_path / "python").symlink_to(shutil.which("python3") or "")
    monkeypatch.setenv("NAGINI", str(tmp_path / "nagini"))
    with pytest.raises(UserError, match=rf"does not know Nagini.*{REMEDY}"):
        find_nagini()


def test_no_java(nagini, monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UserError, match=rf"needs Java 11 or newer, and Java was not found.*{REMEDY}"):
        find_nagini()


def test_the_install_script_uses_what_is_there(nagini, repository):
    done = subprocess.run(
        ["bash", "scripts/install_toolchains.sh", "nagini"], cwd=repository, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "is there" in done.stderr or "Using the Nagini" in done.stderr
