"""One small run against live Dafny, through the command, as the quickstart does it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.train, pytest.mark.tool]

SMALLER = (
    "suite.train=4", "suite.heldout=3", "suite.warm_start=12", "policy.hidden_size=64", "policy.intermediate_size=128",
    "warm_start.batches=10", "grpo.updates=2", "grpo.prompts_per_update=2", "grpo.group_size=2", "grpo.save_every=1",
    "grpo.minibatches=1", "evaluation.instances=3", "seed=1",
)  # fmt: skip


@pytest.mark.skipif(shutil.which("dafny") is None, reason="no dafny; run scripts/setup.sh")
def test_the_quickstart_in_small(tmp_path: Path) -> None:
    program = "from verulaw_rl.cli.main import main; main()"
    command = [sys.executable, "-c", program, "train", "configs/quickstart.yaml", "--json"]
    command += [part for value in (*SMALLER, f"output={tmp_path}") for part in ("--set", value)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr[-3000:]
    result = json.loads(done.stdout)
    folder = Path(result["folder"])
    assert folder.name == "quickstart"
    assert result["before"]["episodes"] == result["after"]["episodes"] == 3
    assert result["before"]["unscorable"] == 0
    assert any(tool.startswith("dafny ") for tool in result["before"]["tools"])
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert [r["update"] for r in rows if "update" in r] == [1, 2]
    assert all(r["unscorable"] == 0 for r in rows if "update" in r)
    assert Path(result["report"]).read_text().startswith("<!")
    assert "dafny" in json.loads((folder / "versions.json").read_text())["verifier"][0]
