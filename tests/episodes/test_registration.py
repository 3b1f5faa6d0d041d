"""Environments by file and by id."""

import subprocess
import sys
from pathlib import Path

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.episodes.registration import load_environment
from verulaw_rl.episodes.services import Services
from verulaw_rl.errors import UserError
from verulaw_rl.suites.instance import Suite

pytestmark = pytest.mark.unit
IDS = ["verulaw_rl/AnnotationRepair-v0", "verulaw_rl/CodeGeneration-v0"]


def test_shipped_environments_load_by_name() -> None:
    assert load_environment("envs/annotation_repair.py").__name__ == "AnnotationRepair"
    assert load_environment("code_generation.py").__name__ == "CodeGeneration"


def test_a_users_own_file(tmp_path: Path, suite: Suite, services: Services) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from verulaw_rl.episodes.env import ProofEnv\n"
        "from verulaw_rl.languages.base import Task\n"
        "class Mine(ProofEnv):\n"
        "    task = Task.ANNOTATION_REPAIR\n"
        "    system_prompt = 'Prove it. {hand_in}'\n"
        "    def system_message(self, instance):\n"
        "        return 'My own words.'\n"
    )
    env = load_environment(str(path))(suite, services=services)
    _, info = env.reset(seed=0)
    assert info["messages"][0] == {"role": "system", "content": "My own words."}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "exactly one subclass of ProofEnv; it defines: none"),
        ("import nothing_of_that_name\n", "cannot be loaded"),
        ("from verulaw_rl.episodes.env import ProofEnv\nclass A(ProofEnv): pass\n", "A must set `task`"),
    ],
)
def test_a_file_that_is_no_environment(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        load_environment(str(path))


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize(
    ("imports", "prefix"),
    [
        ("import gymnasium, verulaw_rl", ""),
        ("import verulaw_rl.episodes, gymnasium", ""),
        ("import gymnasium", "verulaw_rl:"),
        ("import verulaw_rl, gymnasium", "verulaw_rl.episodes:"),
    ],
)
def test_every_id_is_made_without_arguments(name: str, imports: str, prefix: str, tmp_path: Path) -> None:
    code = f"{imports}; env = gymnasium.make({prefix + name!r}); print(env.reset(seed=0)[1]['instance']); env.close()"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{done.stderr}\nIs the package installed? Run `pip install -e . --no-deps`."
    assert name.split("/")[1].split("-")[0].lower() in done.stdout.replace("_", "")


def test_making_with_arguments_and_rendering(suite: Suite, services: Services) -> None:
    settings = EpisodeConfig(prompt="compact")
    env = gymnasium.make(IDS[0], suite=suite, settings=settings, services=services, render_mode="ansi")
    observation, _ = env.reset(seed=0)
    assert env.render() == f"[user]\n{observation}"
    check_env(env.unwrapped)
