"""The wheel holds all that an installed package needs, outside of any checkout."""

import json
import site
import subprocess
import sys
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.unit

CHECK = """
import json, pathlib, sys
import gymnasium
import verulaw_rl
from verulaw_rl.config.load import load_config
from verulaw_rl.config.train import TrainConfig
from verulaw_rl.evidence.reward import load_reward
from verulaw_rl.shipped import shipped_folder

ids = sorted(name for name in gymnasium.registry if name.startswith("verulaw_rl/"))
for name in ids:
    gymnasium.make(name).close()
rewards = sorted(path.name for path in shipped_folder("rewards").glob("*.py"))
for name in rewards:
    load_reward(f"rewards/{name}")
configs = sorted(path.name for path in shipped_folder("configs").glob("*.yaml"))
for name in configs:
    load_config(shipped_folder("configs") / name, TrainConfig)
print(json.dumps({"package": verulaw_rl.__file__, "ids": ids, "rewards": rewards, "configs": configs}))
"""


@pytest.fixture(scope="module")
def installed(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python of a fresh environment that has the wheel; its dependencies are those of the running environment."""
    pytest.importorskip("hatchling", reason="hatchling is not installed: pip install -e .[dev]")
    folder = tmp_path_factory.mktemp("packaging")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(repository)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    subprocess.run([*pip, "install", "-q", "--no-deps", "--no-index", str(wheel)], check=True)
    # A plain path line adds the packages there but not the checkout that an editable install points to.
    (own,) = (folder / "venv").glob("lib/python*/site-packages")
    (own / "dependencies.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    return python


def test_installed_package_finds_its_own(installed: Path, repository: Path, tmp_path: Path) -> None:
    done = subprocess.run([installed, "-I", "-c", CHECK], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert Path(found["package"]).is_relative_to(installed.parent.parent)
    for kind in ("rewards", "configs"):
        assert found[kind] == sorted(path.name for path in (repository / kind).iterdir() if path.is_file())
    environments = [path for path in (repository / "envs").glob("*.py") if not path.name.startswith("_")]
    assert len(found["ids"]) == len(environments) > 0


def test_installed_command_runs(installed: Path, tmp_path: Path) -> None:
    command = installed.parent / "verulaw-rl"
    done = subprocess.run([command, "--version"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("verulaw-rl ")


def test_generic_names_stay_off_the_import_path(installed: Path, tmp_path: Path) -> None:
    code = "import importlib.util as u; print([n for n in ('envs', 'rewards', 'configs') if u.find_spec(n)])"
    done = subprocess.run([installed, "-I", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
