"""Weights from the trainer to the servers that sample, and the proof that they arrived.

Three ways: TRL's transfer between GPUs, a folder on a shared disk that a server loads, or a LoRA adapter there. A
transfer can report success and leave other weights (a server has been seen to do so with tied embeddings), so after
each one a canary compares log-probabilities of fixed tokens between trainer and server, and a mismatch stops the run. A
transfer that hangs is named within a limit.
"""

from __future__ import annotations

import importlib.metadata
import logging
import os
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import torch

from verulaw_rl.config.machines import CanaryConfig
from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.vllm_policy import ServerError, VllmServer, VllmServerPolicy

log = logging.getLogger(__name__)

EXIT_HANGING = 70
VLLM_RANGE = ((0, 22), (0, 31))
"""Lowest and highest vLLM that the pinned TRL works with, as its own metadata says."""


class WeightSync(Protocol):
    """One way to bring the trainer's weights to the servers."""

    def send(self, model: Any, version: str) -> None:
        """Bring the weights of ``model`` there.

        Raises:
            UserError: it failed or hangs.
        """
        ...


def watch_transfer(generation: Any, limit_s: float) -> None:
    """Name TRL's transfer between GPUs when it hangs, and end the process: nothing else gets it out of NCCL.

    Args:
        generation: the trainer's ``vllm_generation``, whose ``sync_weights`` is watched from now on.
        limit_s: that one transfer may take.
    """
    original = generation.sync_weights

    def give_up() -> None:
        log.error("weights: TRL's transfer between GPUs has not ended within %g s; look at the server's log", limit_s)
        print(f"verulaw-rl: weights: TRL's transfer has not ended within {limit_s:g} s", file=sys.stderr, flush=True)
        os._exit(EXIT_HANGING)

    def watched() -> None:
        timer = threading.Timer(limit_s, give_up)
        timer.daemon = True
        timer.start()
        try:
            original()
        finally:
            timer.cancel()

    generation.sync_weights = watched


class FolderTransfer:
    """A folder that every server loads again: slow, and needs nothing but a shared disk."""

    def __init__(self, servers: Sequence[VllmServer], folder: Path, timeout_s: float) -> None:
        self._servers = servers
        self._folder = folder
        self._timeout_s = timeout_s

    def send(self, model: Any, version: str) -> None:
        """Write the weights and have them loaded (see :class:`WeightSync`)."""
        within(self._timeout_s, f"writing {self._folder}", lambda: model.save_pretrained(self._folder))
        row = {"method": "reload_weights", "kwargs": {"weights_path": str(self._folder)}}
        for server in self._servers:
            load, forget = partial(server.post, "/collective_rpc", row), partial(server.post, "/reset_prefix_cache", {})
            within(self._timeout_s, f"loading into {server.url}", load)
            within(self._timeout_s, f"emptying the cache of {server.url}", forget)


class AdapterTransfer:
    """A LoRA adapter that servers load beside the model that they serve."""

    def __init__(self, policy: VllmServerPolicy, folder: Path, timeout_s: float) -> None:
        self._policy = policy
        self._folder = folder
        self._timeout_s = timeout_s
        self._loaded: str | None = None

    def send(self, model: Any, version: str) -> None:
        """Write the adapter, load it under a new name, and drop the last (see :class:`WeightSync`)."""
        name, folder = f"policy-{version}", self._folder / version
        within(self._timeout_s, f"writing {folder}", lambda: model.save_pretrained(folder))
        row = {"lora_name": name, "lora_path": str(folder)}
        for server in self._policy.servers:
            load = partial(server.post, "/v1/load_lora_adapter", row)
            within(self._timeout_s, f"loading into {server.url}", load)
            if self._loaded is not None:
                server.post("/v1/unload_lora_adapter", {"lora_name": self._loaded})
        self._policy.model_name = self._loaded = name


def within(limit_s: float, phase: str, call: Callable[[], Any]) -> None:
    """Make a call that must end within a limit.

    Raises:
        UserError: it did not, or failed; the phase is named.
    """
    failed: list[BaseException] = []

    def run() -> None:
        try:
            call()
        except BaseException as error:
            failed.append(error)

    # Nobody waits for one that hangs: the run ends in spite of it.
    thread = threading.Thread(target=run, name="weight-sync", daemon=True)
    thread.start()
    thread.join(limit_s)
    if thread.is_alive():
        raise UserError(f"weights: {phase} has not ended within {limit_s:g} s; look at the server's log, then resume")
    if failed:
        raise UserError(f"weights: {phase} failed: {type(failed[0]).__name__}: {failed[0]}") from failed[0]


def canary_tokens(tokenizer: Any, count: int) -> list[int]:
    """Fixed tokens of the policy's vocabulary: a text of the kind that it reads, as far as it goes."""
    text = "method Sum(n: nat) returns (s: nat)\n  ensures s == n * (n + 1) / 2\n{\n  s := 0;\n}\n" * count
    ids: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"][:count]
    return ids


def trainer_logprobs(model: Any, token_ids: Sequence[int]) -> list[float]:
    """Log-probability of each token but the first, given those before, by the trainer's model."""
    device = next(model.parameters()).device
    ids = torch.tensor([list(token_ids)], device=device)
    with torch.no_grad():
        logits = model(input_ids=ids).logits[0, :-1].float()
    found = torch.log_softmax(logits, dim=-1).gather(1, ids[0, 1:, None]).squeeze(1)
    return [float(x) for x in found]


def check_canary(model: Any, tokenizer: Any, policy: VllmServerPolicy, config: CanaryConfig) -> float:
    """Compare trainer and every server on fixed tokens.

    Returns:
        The largest mean difference.

    Raises:
        UserError: a server has other weights, or does not answer.
    """
    ids = canary_tokens(tokenizer, config.tokens)
    ours = trainer_logprobs(model, ids)
    largest = 0.0
    for server in policy.servers:
        try:
            theirs = server.prompt_logprobs(policy.model_name, ids)
        except ServerError as error:
            raise UserError(f"the canary got no log-probabilities: {error}") from None
        largest = max(largest, compare_logprobs(ours, theirs, server.url, model, config.tolerance))
    return largest


def compare_logprobs(ours: Sequence[float], theirs: Sequence[float], where: str, model: Any, tolerance: float) -> float:
    """Mean absolute difference.

    Raises:
        UserError: it is above ``tolerance``: the server has other weights. Its message says where to look.
    """
    differences = [abs(a - b) for a, b in zip(ours, theirs, strict=True)]
    mean = sum(differences) / len(differences)
    if mean <= tolerance:
        return mean
    worst = max(range(len(differences)), key=differences.__getitem__)
    tied = getattr(getattr(model, "config", None), "tie_word_embeddings", False)
    hint = (
        "the model's lm_head.weight is tied to embed_tokens.weight, which servers have been seen to load apart"
        if tied
        else "every token differs, so an early layer or the embedding is likely"
        if min(differences) > tolerance
        else f"token {worst + 1} differs most, by {differences[worst]:.3f}"
    )
    raise UserError(
        f"after the transfer of weights {where} differs from the trainer by {mean:.3f} in mean log-probability (limit "
        f"{tolerance:g}): it samples from other weights; {hint}"
    )


def check_versions(server_version: str) -> None:
    """Refuse a vLLM that the pinned TRL was not made for.

    Raises:
        UserError: the version is outside of the range.
    """
    numbers = tuple(int(part) for part in server_version.split(".")[:2] if part.isdigit())
    low, high = VLLM_RANGE
    if not low <= numbers <= high:
        wanted = f"vllm>={low[0]}.{low[1]},<={high[0]}.{high[1]}"
        trl_version = importlib.metadata.version("trl")
        raise UserError(
            f"the server runs vLLM {server_version}, and TRL {trl_version} works with {wanted}; there run "
            f"`pip install '{wanted}'`"
        )
