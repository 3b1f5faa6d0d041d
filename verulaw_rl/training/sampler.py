"""What samples a training run's episodes, where that is not the trainer's own model: vLLM, kept in step with it.

``grpo`` asks for the policy before each batch: weights are brought over, the canary is checked, then it samples.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from verulaw_rl.config.machines import CanaryConfig, RolloutsConfig, VllmColocateRollouts, VllmServerRollouts
from verulaw_rl.rollouts.policy import TokenPolicy
from verulaw_rl.rollouts.vllm_policy import VllmEnginePolicy, VllmServerPolicy
from verulaw_rl.training.weight_sync import (
    AdapterTransfer,
    FolderTransfer,
    WeightSync,
    check_canary,
    check_versions,
)

URLS = "VERULAW_VLLM_URLS"
"""Environment variable in which a job names its servers, blanks between."""

Sampler = Callable[[Any, int], TokenPolicy]
"""Given the trainer and the update's number, the policy that samples its episodes, with the trainer's weights."""


def server_urls(config: VllmServerRollouts) -> tuple[str, ...]:
    """Addresses of the servers: the config's, or the job's."""
    return config.base_urls or tuple(os.environ.get(URLS, "").split())


def trl_settings(config: RolloutsConfig) -> dict[str, Any]:
    """What TRL is to know of where episodes are sampled."""
    if isinstance(config, VllmColocateRollouts):
        return {
            "use_vllm": True,
            "vllm_mode": "colocate",
            "vllm_tensor_parallel_size": config.tensor_parallel,
            "vllm_gpu_memory_utilization": config.gpu_memory_utilization,
        }
    if isinstance(config, VllmServerRollouts) and config.sync == "trl":
        port = os.environ.get("VERULAW_GROUP_PORT")
        return {
            "use_vllm": True,
            "vllm_mode": "server",
            "vllm_server_base_url": next(iter(server_urls(config)), None),
            "vllm_server_timeout": config.sync_timeout_s,
            **({"vllm_group_port": int(port)} if port else {}),
        }
    return {}


def make_sampler(
    config: RolloutsConfig, canary: CanaryConfig, tokenizer: Any, *, name: str, context_tokens: int, folder: Path
) -> Sampler | None:
    """The sampler of a config; ``None`` where the trainer's own model samples.

    Args:
        config: where episodes are sampled.
        canary: how weights are compared after each transfer.
        tokenizer: of the policy.
        name: of the policy, for records.
        context_tokens: of an episode.
        folder: on a disk that the servers see, for weights.

    Raises:
        UserError: no server, or one of a version that does not go with TRL.
    """
    if isinstance(config, VllmServerRollouts):
        return _served(config, canary, tokenizer, name, context_tokens, folder)
    if isinstance(config, VllmColocateRollouts):

        def engine(trainer: Any, update: int) -> TokenPolicy:
            # TRL has brought the weights over before it asks for episodes.
            policy = VllmEnginePolicy(trainer.vllm_generation.llm, tokenizer, name=name, context_tokens=context_tokens)
            policy.version = f"update-{update - 1}"
            return policy

        return engine
    return None


def _served(
    config: VllmServerRollouts, canary: CanaryConfig, tokenizer: Any, name: str, context_tokens: int, folder: Path
) -> Sampler:
    policy = VllmServerPolicy(server_urls(config), config, tokenizer, name=name, context_tokens=context_tokens)
    for server in policy.servers:
        check_versions(str(server.get("/version").get("version", "0")))
    way = _way(config, policy, folder)

    def sample(trainer: Any, update: int) -> TokenPolicy:
        model = trainer.accelerator.unwrap_model(trainer.model)
        policy.version = f"update-{update - 1}"
        if trainer.accelerator.is_main_process:
            if way is not None:
                way.send(model, policy.version)
            check_canary(model, tokenizer, policy, canary)
        trainer.accelerator.wait_for_everyone()
        return policy

    return sample


def _way(config: VllmServerRollouts, policy: VllmServerPolicy, folder: Path) -> WeightSync | None:
    """How weights are sent; ``None`` where TRL does it before it asks for episodes."""
    if config.sync == "trl":
        return None
    if config.sync == "lora":
        return AdapterTransfer(policy, folder, config.sync_timeout_s)
    return FolderTransfer(policy.servers, folder, config.sync_timeout_s)
