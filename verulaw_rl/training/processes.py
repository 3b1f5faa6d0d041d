"""A run in several processes: the first prepares, evaluates and keeps records; the others wait for it, and train.

They meet over the run's folder, on a disk that all see, until training joins them by itself.
"""

from __future__ import annotations

import os
import time
from typing import Any

from verulaw_rl.training.folder import TrainingFolder

_LOOK_S = 1.0


def is_first() -> bool:
    """Whether this is the first process of the run, as its launcher numbered them, or the only one."""
    return int(os.environ.get("RANK", "0")) == 0


def wait_for(folder: TrainingFolder, phase: str) -> dict[str, Any]:
    """Wait until the first process has finished a phase.

    Returns:
        What the phase left to be remembered.
    """
    while not (now := TrainingFolder.open(folder.path)).done(phase):
        time.sleep(_LOOK_S)
    return now.facts(phase)
