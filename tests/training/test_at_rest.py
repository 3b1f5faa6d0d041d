"""What drifts at learning rate 0 is said, and chance is not."""

import random

import pytest

from verulaw_rl.config.suite import SeedSuite
from verulaw_rl.config.train import SmallPolicy, TrainConfig
from verulaw_rl.training.at_rest import at_rest, drift_of

pytestmark = pytest.mark.unit


def test_nothing_is_learnt() -> None:
    config = at_rest(TrainConfig(name="run", suite=SeedSuite(), policy=SmallPolicy()), 7)
    assert (config.grpo.updates, config.grpo.learning_rate, config.name) == (7, 0.0, "run-canary")


def test_drift_is_said() -> None:
    rng = random.Random(0)
    still = [{"update": n, "reward": 0.5 + rng.gauss(0, 0.1), "kl": 1e-7} for n in range(20)]
    assert drift_of(still) == ""
    # As a race in the transfer of weights once did: from 0.95 to 0.44.
    falling = [{"update": n, "reward": 0.95 - 0.0255 * n + rng.gauss(0, 0.05), "kl": 1e-7} for n in range(20)]
    assert drift_of(falling).startswith("rewards drift by -0.02")
    assert "the policy moved: kl 0.0500" in drift_of([{"update": 1, "reward": 0.5, "kl": 0.05}])
    assert "sampler and trainer differ" in drift_of([{"update": 1, "reward": 0.5, "mismatch_kl": 0.2}])
    assert drift_of([{"update": 1, "reward": None}, {"warm_start/loss": 1.0}]) == ""
