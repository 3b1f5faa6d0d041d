"""The SLURM scripts: as they were when somebody read them, sound as shell, and refused where they cannot work."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from verulaw_rl.cli.main import build_app
from verulaw_rl.config.load import load_config
from verulaw_rl.config.train import TrainConfig
from verulaw_rl.errors import UserError
from verulaw_rl.shipped import shipped_folder
from verulaw_rl.training.slurm import render, submit, write

pytestmark = pytest.mark.unit

GOLDEN = Path(__file__).parent / "golden"
PAPER = shipped_folder("configs") / "paper"
CASES = {
    "whole": (PAPER / "dafnybench-code_generation-specialist-qwen3.6-35b-a3b.yaml", ("slurm.account=proofs",)),
    "small": (PAPER.parent / "quickstart.yaml", ()),
}
FOLDER = Path("/shared/it's a run")


def rendered(case: str) -> dict[str, str]:
    path, overrides = CASES[case]
    texts = render(load_config(path, TrainConfig, overrides), FOLDER)
    return {name: text.replace(str(shipped_folder("configs")), "CONFIGS") for name, text in texts.items()}


@pytest.mark.parametrize("case", CASES)
def test_as_they_were_read(case: str) -> None:
    """``VERULAW_GOLDEN=1`` writes them anew, to be read again."""
    for name, text in rendered(case).items():
        golden = GOLDEN / f"{case}.{name}"
        if os.environ.get("VERULAW_GOLDEN"):
            golden.parent.mkdir(exist_ok=True)
            golden.write_text(text)
        assert text == golden.read_text()


@pytest.mark.parametrize(("rank", "served"), [(8, 8), (32, 32), (33, 64), (512, 512)])
def test_servers_take_adapters_of_the_trainers_rank(rank: int, served: int) -> None:
    path, overrides = CASES["whole"]
    overrides = (*overrides, f"trainer.lora.rank={rank}", "rollouts.sync=lora")
    roles = render(load_config(path, TrainConfig, overrides), FOLDER)["roles.sh"]
    assert f"--enable-lora --max-lora-rank {served}\n" in roles
    assert "VLLM_ALLOW_RUNTIME_LORA_UPDATING=True" in roles


def test_an_adapter_that_no_server_takes_is_refused() -> None:
    path, overrides = CASES["whole"]
    with pytest.raises(UserError, match="rank 512 at most"):
        render(load_config(path, TrainConfig, (*overrides, "trainer.lora.rank=513", "rollouts.sync=lora")), FOLDER)


@pytest.mark.parametrize("path", sorted(PAPER.parent.glob("*/*-*.yaml")), ids=lambda p: p.stem)
def test_every_config_renders_sound_shell(path: Path, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    scripts = write(load_config(path, TrainConfig), tmp_path / "run")
    assert [p.name for p in scripts] == ["job.sbatch", "roles.sh"]
    for script in scripts:
        subprocess.run(["bash", "-n", str(script)], check=True)


@pytest.mark.parametrize("case", CASES)
def test_shellcheck_is_content(case: str, tmp_path: Path) -> None:
    if shutil.which("shellcheck") is None:
        pytest.skip("shellcheck is not installed: apt-get install shellcheck")
    for name, text in rendered(case).items():
        (tmp_path / name).write_text(text)
        done = subprocess.run(["shellcheck", str(tmp_path / name)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def test_roles_and_nodes() -> None:
    texts = rendered("whole")
    job, roles = texts["job.sbatch"], texts["roles.sh"]
    # Two nodes of the trainer, one of vLLM, one of the specialist; one more that verifies.
    assert "#SBATCH --nodes=4\n" in job
    assert job.index("#SBATCH hetjob\n#SBATCH --nodes=1\n") > job.index("--account=proofs")
    assert "--signal=B:USR1@600" in job
    assert "--num_machines 2" in roles
    assert "--num_processes 16" in roles
    assert "--tensor-parallel-size 2 --data-parallel-size 4" in roles
    small = rendered("small")
    assert "vllm" not in small["roles.sh"]
    assert "ray" not in small["roles.sh"]
    assert "het-group" not in small["job.sbatch"]
    assert "exec verulaw-rl train --resume" in small["roles.sh"]


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        (("slurm.specialist_nodes=1", "slurm.specialist_checkpoint=x"), "does not ask"),
        (("slurm.verifier_nodes=1",), "backend: ray"),
        (("rollouts.type=vllm_server",), "pretrained policy"),
        (("slurm.specialist_nodes=1",), "go together"),
    ],
)
def test_what_cannot_run_is_refused(overrides: tuple[str, ...], says: str) -> None:
    with pytest.raises(UserError, match=says):
        render(load_config(CASES["small"][0], TrainConfig, overrides), FOLDER)


def test_without_sbatch(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="sbatch is not here"):
        submit(tmp_path / "job.sbatch")
    (tmp_path / "sbatch").write_text('#!/bin/sh\necho "Submitted batch job 17"\n')
    (tmp_path / "sbatch").chmod(0o755)
    assert submit(tmp_path / "job.sbatch") == "Submitted batch job 17"


def test_dry_run_writes_everything_and_starts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # no sbatch, nor anything else
    arguments = ["train", str(CASES["whole"][0]), "--slurm", "--dry-run", "--json", "--set", f"output={tmp_path}"]
    done = CliRunner().invoke(build_app("train"), arguments)
    assert done.exit_code == 0, done.output
    row = json.loads(done.output)
    folder = Path(row["folder"])
    assert row["submitted"] == ""
    assert sorted(p.name for p in (folder / "slurm").iterdir()) == ["job.sbatch", "roles.sh"]
    resolved = load_config(folder / "config.yaml", TrainConfig)
    assert resolved == load_config(CASES["whole"][0], TrainConfig, (f"output={tmp_path}",))
    assert str(folder) in (folder / "slurm" / "job.sbatch").read_text()
