"""Rooms import one way, and what must be quick or run without a model does not import one."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

pytestmark = pytest.mark.unit

HEAVY = ("torch", "transformers", "trl", "vllm", "datasets")


def test_rooms_import_one_way(repository: Path) -> None:
    tool = shutil.which("lint-imports", path=sysconfig.get_path("scripts")) or shutil.which("lint-imports")
    if tool is None:
        pytest.skip("import-linter is not installed: pip install -e .[dev]")
    done = subprocess.run([tool, "--no-cache"], cwd=repository, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("module", ["verulaw_rl.config.train", "verulaw_rl.config.load", "verulaw_rl.cli.main"])
def test_imports_without_a_model(module: str) -> None:
    code = f"import sys, {module}; print(*(m for m in {HEAVY!r} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_nothing_imports_the_edited_folders_by_name(repository: Path) -> None:
    for path in (repository / "verulaw_rl").rglob("*.py"):
        lines = path.read_text(encoding="utf-8").splitlines()
        named = [x for x in lines if x.startswith(("import envs", "import rewards", "from envs", "from rewards"))]
        assert not named, f"{path} imports {named[0]!r}; load it by path instead"
