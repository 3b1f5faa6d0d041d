"""A training process of its own, for tests that need several or kill one: ``worker.py gradients|killed ARGUMENTS``."""

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.rollouts.factory import SETTINGS, env_maker, hand_suite, scripted_services
from verulaw_rl.config.machines import TrainerConfig
from verulaw_rl.config.train import GrpoConfig
from verulaw_rl.rollouts.engine import run_episodes
from verulaw_rl.rollouts.load_policy import load_policy
from verulaw_rl.training import folder as folder_module
from verulaw_rl.training import grpo
from verulaw_rl.training.folder import TrainingFolder
from verulaw_rl.training.reporter import Silent
from verulaw_rl.training.run import run_training


def gradients(start: str, out: str) -> None:
    """One update from the policy in ``start``; the gradients before its step go to ``out``."""
    torch.set_num_threads(1)
    config = GrpoConfig(
        updates=1, prompts_per_update=2, group_size=4, micro_batch_size=2, learning_rate=1e-3, kl=0.01,
        max_turn_tokens=24, save_every=1, max_grad_norm=1e9,
    )  # fmt: skip

    def keep(self: Any, args: Any, state: Any, control: Any, model: Any = None, **kwargs: Any) -> None:
        if int(os.environ.get("RANK", "0")) == 0:
            found = {
                n.removeprefix("module."): p.grad.clone() for n, p in model.named_parameters() if p.grad is not None
            }
            torch.save(found, out)

    def rewarded(*arguments: Any, **named: Any) -> Any:
        """Episodes of an untrained policy are all alike to the verifier: their tokens tell them apart here."""
        batch = run_episodes(*arguments, **named)
        results = (replace(r, record=replace(r.record, reward=float(sum(r.completion_ids) % 7))) for r in batch.results)
        return replace(batch, results=tuple(results))

    grpo.run_episodes = rewarded
    grpo._Update.on_pre_optimizer_step = keep  # type: ignore[method-assign]
    suite = hand_suite(4)
    kept: list[Any] = []
    policy = load_policy(start, name="start", version="0", context_tokens=512)
    grpo.train_grpo(
        policy, env_maker(suite, scripted_services(), SETTINGS), [i.key for i in suite.instances], config,
        checkpoints=Path(out).with_suffix(".checkpoints"), target=Path(out).with_suffix(".final"), seed=3, run="t",
        hooks=grpo.Hooks(lambda update, batch: kept.append(batch), lambda update, row: None), machines=TrainerConfig(),
    )  # fmt: skip
    if int(os.environ.get("RANK", "0")) == 0:
        rows = [(r.task.instance, r.task.sample, r.completion_ids, r.record.reward) for r in kept[0].results]
        torch.save(rows, Path(out).with_suffix(".episodes"))


def killed(folder: str, at: str) -> None:
    """Go on with the run; SIGKILL at the ``at``-th of the points at which it writes something or steps."""
    points = 0

    def point() -> None:
        nonlocal points
        points += 1
        if points == int(at):
            os.kill(os.getpid(), signal.SIGKILL)

    def before(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **named: Any) -> Any:
            point()
            return function(*arguments, **named)

        return wrapped

    TrainingFolder.add_rows = before(TrainingFolder.add_rows)  # type: ignore[method-assign]
    folder_module.write_whole = before(folder_module.write_whole)
    Path.rename = before(Path.rename)  # type: ignore[method-assign]
    torch.save = before(torch.save)
    torch.optim.AdamW.step = before(torch.optim.AdamW.step)  # type: ignore[method-assign]
    torch.set_num_threads(1)
    run_training(TrainingFolder.open(Path(folder)), Silent(), scripted_services())
    print(points)


if __name__ == "__main__":
    {"gradients": gradients, "killed": killed}[sys.argv[1]](*sys.argv[2:])
