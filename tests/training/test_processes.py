"""Several processes train as one does, and a killed one leaves nothing that its resumption does not make good."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.rollouts.factory import tiny_model, tiny_tokenizer
from tests.training.test_run import config, optimizer_state, played, rows, run  # noqa: F401 (a fixture)
from verulaw_rl.config.train import TrainConfig
from verulaw_rl.training.folder import TrainingFolder
from verulaw_rl.training.grpo import checkpoints_in

pytestmark = pytest.mark.train

WORKER = str(Path(__file__).parent / "worker.py")
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}


def work(*arguments: str, processes: int = 1) -> subprocess.CompletedProcess[str]:
    launcher = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"] if processes > 1 else []
    command = [sys.executable, *launcher, WORKER, *arguments]
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=400, check=False)


def test_two_processes_give_the_gradients_of_one(tmp_path: Path) -> None:
    tokenizer = tiny_tokenizer()
    tokenizer.save_pretrained(tmp_path / "start")
    tiny_model(tokenizer).save_pretrained(tmp_path / "start")
    for processes in (1, 2):
        done = work("gradients", str(tmp_path / "start"), str(tmp_path / f"{processes}.pt"), processes=processes)
        assert done.returncode == 0, done.stderr[-3000:]
    one, two = (torch.load(tmp_path / f"{n}.episodes") for n in (1, 2))
    assert one == two, "the same episodes, token for token, in the same order"
    assert len({reward for *_, reward in one}) > 1, "and some signal in them"
    one, two = (torch.load(tmp_path / f"{n}.pt") for n in (1, 2))
    assert max(float(g.abs().max()) for g in one.values()) > 1e-3
    torch.testing.assert_close(one, two, rtol=1e-3, atol=1e-6)
    assert (tmp_path / "2.final" / "model.safetensors").is_file()


POINTS = 10 if os.environ.get("VERULAW_FULL") else 2


def test_killed_at_any_point_it_resumes_as_if_nothing_had_happened(config: TrainConfig) -> None:  # noqa: F811
    whole = TrainingFolder.create(config)
    done = work("killed", str(whole.path), "0")
    assert done.returncode == 0, done.stderr[-3000:]
    total = int(done.stdout.split()[-1])
    for n in range(POINTS):
        at = 1 + (total - 1) * (2 * n + 1) // (2 * POINTS)
        killed = TrainingFolder.create(config)
        assert work("killed", str(killed.path), str(at)).returncode == -signal.SIGKILL
        run(TrainingFolder.open(killed.path))
        assert played(killed) == played(whole), f"point {at} of {total}"
        updates = [[r["update"] for r in rows(f, "metrics.jsonl") if "update" in r] for f in (killed, whole)]
        assert updates[0] == updates[1]
        assert not list(killed.path.rglob("*.part"))
        last = [checkpoints_in(f.checkpoints)[-1].name for f in (killed, whole)]
        assert last == ["checkpoint-16"] * 2
        torch.testing.assert_close(
            *(optimizer_state(f.checkpoints / "checkpoint-16") for f in (killed, whole)), rtol=1e-4, atol=1e-7
        )
