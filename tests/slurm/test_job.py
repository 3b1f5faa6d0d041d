"""The whole job on one machine: a stand-in for srun starts the roles as local processes; the small model trains."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.rollouts.factory import TINY, tiny_model, tiny_tokenizer
from verulaw_rl.config.load import load_config
from verulaw_rl.config.train import TrainConfig
from verulaw_rl.languages.base import Task
from verulaw_rl.suites.bundled import bundled_suite
from verulaw_rl.suites.instance import Suite, save_suite
from verulaw_rl.training.folder import TrainingFolder
from verulaw_rl.training.slurm import write

pytestmark = pytest.mark.train

FAKE = Path(__file__).parent / "fake.sh"
UPDATES = 2


def prepare(
    tmp_path: Path, updates: int = UPDATES, checkpoint: Path | None = None
) -> tuple[TrainingFolder, dict[str, str]]:
    """A run of code generation with a served specialist, in a folder with its scripts, and the job's environment."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir(parents=True)
    for name in ("srun", "scontrol"):
        (bin_folder / name).symlink_to(FAKE)
    command = bin_folder / "verulaw-rl"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -c "from verulaw_rl.cli.main import main; main()" "$@"\n')
    command.chmod(0o755)
    if checkpoint is None:
        checkpoint = tmp_path / "specialist"
        tokenizer = tiny_tokenizer()
        tokenizer.save_pretrained(checkpoint)
        tiny_model(tokenizer).save_pretrained(checkpoint)
    chosen = bundled_suite(Task.CODE_GENERATION).instances[:3]
    suite = tuple(replace(i, split="heldout" if n == 0 else "train") for n, i in enumerate(chosen))
    save_suite(Suite("few", suite), tmp_path / "suite.jsonl")
    settings = {
        "name": "trial",
        "output": str(tmp_path / "runs"),
        "threads": 1,
        "suite": {"type": "file", "path": str(tmp_path / "suite.jsonl")},
        "policy": TINY.model_dump(mode="json") | {"context_tokens": 4096},
        "episode": {"environment": "envs/code_generation.py", "prompt": "compact", "actions": ["submit"], "turns": 1},
        "warm_start": {"batches": 0},
        "grpo": {"updates": updates, "prompts_per_update": 2, "group_size": 2, "max_turn_tokens": 8, "save_every": 1},
        "verification": {"workers": 1, "cache": False},
        "specialist": {"type": "endpoint", "timeout_s": 60},
        "slurm": {
            "specialist_nodes": 1,
            "specialist_checkpoint": str(checkpoint),
            "specialist_backend": "transformers",
            "health_timeout_s": 240,
            "grace_s": 60,
            "setup": [f"export PATH={bin_folder}:$PATH"],
        },
    }
    folder = TrainingFolder.create(TrainConfig.model_validate(settings))
    write(folder.config, folder.path)
    environment = os.environ | {
        "PATH": f"{bin_folder}:{os.environ['PATH']}",
        "SLURM_JOB_ID": str(os.getpid()),
        "SLURM_JOB_NODELIST": "localhost,localhost",
        "FAKE_REQUEUED": str(tmp_path / "requeued"),
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
    }
    return folder, environment


def job(folder: TrainingFolder, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = ["bash", str(folder.path / "slurm" / "job.sbatch")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=500, check=False)


def rows(folder: TrainingFolder) -> list[int]:
    file = folder.path / "metrics.jsonl"
    found = [json.loads(line) for line in file.read_text().splitlines()] if file.is_file() else []
    return [row["update"] for row in found if "update" in row]


def test_the_job_trains_two_steps_and_a_failing_role_ends_it(tmp_path: Path) -> None:
    folder, environment = prepare(tmp_path)
    done = job(folder, environment)
    logs = "\n".join(p.read_text()[-3000:] for p in (folder.path / "slurm").glob("attempt_0/*.log"))
    assert done.returncode == 0, done.stdout + done.stderr + logs
    assert rows(folder) == [1, 2]
    assert (folder.path / "report.html").is_file()
    assert "specialist is healthy" in done.stdout
    assert "trainer ended with 0" in done.stdout
    assert not Path(environment["FAKE_REQUEUED"]).exists()
    # A role that fails before it is healthy ends the job, named; the trainer is never started.
    other, environment = prepare(tmp_path / "other", checkpoint=tmp_path / "nothing")
    done = job(other, environment)
    assert done.returncode == 1
    assert "specialist ended before its time" in done.stdout
    assert "is no model folder" in done.stdout
    assert "starting trainer" not in done.stdout


def test_a_job_near_its_end_writes_a_checkpoint_and_is_queued_again(tmp_path: Path) -> None:
    folder, environment = prepare(tmp_path, updates=400)
    command = ["bash", str(folder.path / "slurm" / "job.sbatch")]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as running:
        deadline = time.monotonic() + 400
        while not rows(folder) and running.poll() is None and time.monotonic() < deadline:
            time.sleep(1)
        running.send_signal(10)  # SIGUSR1, as SLURM sends it before the time limit
        said, _ = running.communicate(timeout=120)
    assert running.returncode == 0, said
    assert "trainer ended with 75" in said
    assert Path(environment["FAKE_REQUEUED"]).read_text().split() == [environment["SLURM_JOB_ID"]]
    reached = max(rows(folder))
    assert any((folder.path / "checkpoints").glob("checkpoint-*"))
    # The next attempt goes on behind it, to the end that the config now has.
    config = folder.path / "config.yaml"
    config.write_text(config.read_text().replace("updates: 400", f"updates: {reached + 1}"))
    done = job(folder, environment | {"SLURM_RESTART_COUNT": "1"})
    assert done.returncode == 0, done.stdout
    assert rows(folder) == list(range(1, reached + 2))
    assert load_config(config, TrainConfig).grpo.updates == reached + 1
    assert (folder.path / "slurm" / "attempt_1").is_dir()
