"""Splits by near-duplicate group: a pure function of the groups, the shares and a seed."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from verulaw_rl.suites.instance import Instance

EVALUATION = "evaluation"
"""The one split of a suite that is only evaluated on."""


def assign_splits_by_repository(
    instances: Iterable[Instance], heldout_share: float, seed: int = 0
) -> tuple[Instance, ...]:
    """The instances with ``split`` set, no repository on both sides but the largest.

    A repository is an instance's ``family``. The largest is divided, group by group, in the share that is held out:
    whole on either side it would decide what is measured. The others go whole to one side.
    """
    instances = tuple(instances)
    sizes = Counter(i.family for i in instances)
    largest = min(sizes, key=lambda name: (-sizes[name], name), default="")
    divided = assign_splits((i for i in instances if i.family == largest), heldout_share, seed)
    rest = assign_splits((replace(i, group=i.family) for i in instances if i.family != largest), heldout_share, seed)
    side = {i.key: i.split for i in (*divided, *rest)}
    return tuple(replace(i, split=side[i.key]) for i in instances)


def assign_splits(instances: Iterable[Instance], heldout_share: float, seed: int = 0) -> tuple[Instance, ...]:
    """The instances with ``split`` set to ``train`` or ``heldout``.

    Whole groups go to one side, in an order fixed by the seed, until the held-out side has its share of
    the instances.
    """
    instances = tuple(instances)
    sizes = Counter(i.group for i in instances)
    order = sorted(sizes, key=lambda g: hashlib.sha256(f"{seed}:{g}".encode()).hexdigest())
    wanted, heldout, held = heldout_share * len(instances), set[str](), 0
    for group in order:
        if held + sizes[group] / 2 <= wanted:
            heldout.add(group)
            held += sizes[group]
    return tuple(replace(i, split="heldout" if i.group in heldout else "train") for i in instances)
