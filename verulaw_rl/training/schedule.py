"""Which instances an update trains on: a pure function of the seed and the update's number.

So a resumed run continues with the very batch that an uninterrupted one would have had, and a run with
more updates begins like one with fewer. ``grpo`` makes TRL's data set from it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from verulaw_rl.rollouts.engine import derive_seed


def instances_of_update(keys: Sequence[str], seed: int, update: int, count: int) -> list[str]:
    """Keys of the instances of one update.

    Every instance comes once before any comes again; each such epoch has its own order.

    Args:
        keys: of all training instances.
        seed: of the run.
        update: 1-based.
        count: instances per update.
    """
    out: list[str] = []
    position = (update - 1) * count
    while len(out) < count:
        epoch, offset = divmod(position + len(out), len(keys))
        order = sorted(keys)
        random.Random(derive_seed(seed, "order", epoch)).shuffle(order)
        out += order[offset : offset + count - len(out)]
    return out
