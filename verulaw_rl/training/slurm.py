"""The SLURM job of a run, from its config: templates in ``slurm/`` filled in, and handed to ``sbatch``.

Two scripts in the run's folder: ``job.sbatch`` allocates, starts the roles, checks that the servers are healthy, ends
all when one fails and queues itself again; ``roles.sh`` is what one node of a role does. Nothing here runs anything but
``sbatch``. ``verulaw-rl train --slurm`` calls it.
"""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import jinja2

from verulaw_rl.config.machines import VllmServerRollouts
from verulaw_rl.config.specialist import EndpointSpecialist
from verulaw_rl.config.train import PretrainedPolicy, TrainConfig
from verulaw_rl.errors import UserError
from verulaw_rl.shipped import find_file, shipped_folder
from verulaw_rl.training.stopping import EXIT_RESUMABLE

TEMPLATES = {"job.sbatch": "job.sbatch.j2", "roles.sh": "roles.sh.j2"}
"""Scripts by their name in a run's folder, and their templates."""
VLLM_LORA_RANKS = (8, 16, 32, 64, 128, 256, 320, 512)
"""What ``vllm serve --max-lora-rank`` takes (vLLM 0.31, ``config/lora.py``); it is 16 unless said."""


def render(config: TrainConfig, folder: Path) -> dict[str, str]:
    """Texts of the scripts by name.

    Args:
        config: of the run.
        folder: of the run, on a disk that every node sees.

    Raises:
        UserError: the config cannot run as a job.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(shipped_folder("slurm")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["sh"] = lambda value: shlex.quote(str(value))
    values = _values(config, folder.absolute())
    return {name: environment.get_template(template).render(values) for name, template in TEMPLATES.items()}


def write(config: TrainConfig, folder: Path) -> list[Path]:
    """Write the scripts into ``<folder>/slurm``.

    Raises:
        UserError: the config cannot run as a job.
    """
    texts = render(config, folder)
    (folder / "slurm").mkdir(exist_ok=True)
    paths = []
    for name, text in texts.items():
        path = folder / "slurm" / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        paths.append(path)
    return paths


def submit(script: Path) -> str:
    """Hand a script to ``sbatch``.

    Returns:
        What it says, such as ``Submitted batch job 17``.

    Raises:
        UserError: there is no ``sbatch``, or it refuses.
    """
    try:
        done = subprocess.run(["sbatch", str(script)], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise UserError("sbatch is not here; write the scripts with --dry-run and submit them on the cluster") from None
    if done.returncode:
        raise UserError(f"sbatch refused {script}: {' '.join(done.stderr.split())}")
    return done.stdout.strip()


def _values(config: TrainConfig, folder: Path) -> dict[str, object]:
    slurm, trainer, rollouts = config.slurm, config.trainer, config.rollouts
    vllm = rollouts if isinstance(rollouts, VllmServerRollouts) else None
    if isinstance(config.specialist, EndpointSpecialist):
        name = config.specialist.model
    elif slurm.specialist_nodes:
        raise UserError("slurm serves a specialist that the run does not ask; set specialist.type: endpoint")
    else:
        name = ""
    if vllm is not None and not isinstance(config.policy, PretrainedPolicy):
        raise UserError("rollouts.type: vllm_server serves a pretrained policy; set policy.type: pretrained")
    if slurm.verifier_nodes and config.verification.backend != "ray":
        raise UserError("slurm.verifier_nodes needs verification.backend: ray")
    vllm_nodes = vllm.nodes if vllm and not vllm.base_urls else 0
    gpus = trainer.processes_per_node if trainer.gpus else 0
    rank = trainer.lora.rank if trainer.lora else 0
    if rank > VLLM_LORA_RANKS[-1] and vllm is not None and vllm.sync == "lora":
        raise UserError(f"vLLM serves adapters of rank {VLLM_LORA_RANKS[-1]} at most; lower trainer.lora.rank")
    return {
        "name": config.name,
        "folder": folder,
        "slurm": slurm,
        "rollouts": rollouts,
        "trainer_nodes": trainer.nodes,
        "vllm_nodes": vllm_nodes,
        "gpu_nodes": trainer.nodes + vllm_nodes + slurm.specialist_nodes,
        "gpus_per_node": max(gpus, vllm.gpus_per_node if vllm_nodes and vllm else 0),
        "processes": trainer.processes,
        "accelerate": find_file(f"configs/accelerate/{trainer.sharding}.yaml", "configs"),
        "ray": config.verification.backend == "ray",
        "head_verifiers": max(1, slurm.cpus_per_node // 2),
        "model": config.policy.path if isinstance(config.policy, PretrainedPolicy) else "",
        "context_tokens": config.policy.context_tokens,
        "max_lora_rank": next((r for r in VLLM_LORA_RANKS if r >= rank), 0),
        "data_parallel": max(1, vllm.gpus_per_node // vllm.tensor_parallel) if vllm else 1,
        "specialist_name": name,
        "specialist_gpus": gpus,
        "resumable": EXIT_RESUMABLE,
    }
