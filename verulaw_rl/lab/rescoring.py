"""Recorded episodes scored again from their evidence, and what that does to the advantages of their groups.

Pure. Advantages are those of the trainer (TRL's): reward minus the group's mean, over the standard deviation (n - 1)
plus 1e-4 of what ``grpo.scale_rewards`` of the run names, its group or its batch, or over nothing; an episode that
cannot be scored is in no mean and has advantage 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from verulaw_rl.config.episode import EpisodeTerms
from verulaw_rl.episodes.value import episode_value
from verulaw_rl.errors import UserError
from verulaw_rl.evidence.reward import Reward
from verulaw_rl.lab.recorded import RecordedEpisode

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

EPSILON = 1e-4
"""Added to the standard deviation by TRL."""
SAME = 1e-9
"""Rewards of a group that differ by no more are the same: rounding, not a signal."""
MOST_CHANGED = 10


@dataclass(frozen=True, slots=True)
class Changed:
    """One episode before and after."""

    place: str
    instance: str
    old_reward: float | None
    new_reward: float | None
    old_advantage: float
    new_advantage: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """How scoring again changes what a trainer would have learned from."""

    episodes: int
    scorable: int
    """Episodes that both scorings can score; the figures below are over them."""
    groups: int
    """Groups of at least two of them; episodes alone in theirs have no advantage."""
    zero_variance_old: float | None
    """Share of the groups in which every episode has the same reward: they teach nothing."""
    zero_variance_new: float | None
    mean_old: float | None
    mean_new: float | None
    rank_correlation: float | None
    """Spearman's, of new with old rewards; ``None`` where one of them is the same everywhere."""
    advantage_rank_correlation: float | None
    sign_flips: tuple[str, ...]
    """Places of the episodes whose advantage was positive and becomes negative, or the other way round."""
    most_changed: tuple[Changed, ...]
    """By their advantage."""


def rescore_all(episodes: Sequence[RecordedEpisode], reward: Reward, terms: EpisodeTerms) -> list[float | None]:
    """Reward of each episode under another reward or other terms, as ``episodes.record.rescore`` gives it.

    An assisted score without evidence of what the specialist made stays as recorded.

    Raises:
        UserError: the reward returns something that it may not, with the place of the record that shows it.
    """
    score, rewards = reward.score, []
    for episode in episodes:
        totals: list[float | None] = []
        wasted = 0
        for turn in episode.turns:
            wasted += turn.wasted
            if turn.action != "submit":
                continue
            try:
                direct = score(turn.evidence) if turn.score is not None and turn.evidence is not None else turn.score
            except UserError as error:
                raise UserError(f"{episode.place}: {error}") from error
            totals.append(None if direct is None else direct.total)
            if turn.assisted is not None:
                kept = turn.assisted_evidence
                totals.append(turn.assisted.total if kept is None else score(kept).total)
        rewards.append(episode_value(totals, wasted, terms))
    return rewards


def compare(
    episodes: Sequence[RecordedEpisode], new: Sequence[float | None], old: Sequence[float | None] | None = None
) -> Comparison:
    """New rewards beside old ones, which are the recorded ones if absent."""
    before = _floats([e.reward for e in episodes] if old is None else old)
    after = _floats(new)
    ids: dict[tuple[object, ...], int] = {}
    groups = np.array([ids.setdefault(e.group, len(ids)) for e in episodes], dtype=np.int64)
    scaled = scaled_over(episodes, groups)
    both = ~(np.isnan(before) | np.isnan(after))
    sizes = np.bincount(groups[both], minlength=len(ids))
    counted = sizes >= 2
    old_advantages, old_flat = advantages(before, groups, scaled)
    new_advantages, new_flat = advantages(after, groups, scaled)
    flipped = both & (old_advantages * new_advantages < 0)
    order = np.argsort(-np.abs(new_advantages - old_advantages), kind="stable")[:MOST_CHANGED]
    return Comparison(
        episodes=len(episodes),
        scorable=int(both.sum()),
        groups=int(counted.sum()),
        zero_variance_old=_mean(old_flat[counted]),
        zero_variance_new=_mean(new_flat[counted]),
        mean_old=_mean(before[both]),
        mean_new=_mean(after[both]),
        rank_correlation=rank_correlation(before[both], after[both]),
        advantage_rank_correlation=rank_correlation(old_advantages[both], new_advantages[both]),
        sign_flips=tuple(episodes[n].place for n in map(int, np.flatnonzero(flipped))),
        most_changed=tuple(
            Changed(
                episodes[n].place,
                episodes[n].instance,
                _number(before[n]),
                _number(after[n]),
                float(old_advantages[n]),
                float(new_advantages[n]),
            )
            for n in map(int, order)
            if old_advantages[n] != new_advantages[n]
        ),
    )


def scaled_over(episodes: Sequence[RecordedEpisode], groups: Numbers) -> Numbers:
    """Number of the episodes over whose standard deviation each advantage is scaled; -1 for none."""
    first = int(groups.max()) + 1 if len(groups) else 0
    batches: dict[tuple[object, ...], int] = {}
    out = [
        int(groups[n])
        if e.scale == "group"
        else -1
        if e.scale == "none"
        else first + batches.setdefault(e.group[:-1], len(batches))
        for n, e in enumerate(episodes)
    ]
    return np.array(out, dtype=np.int64)


def advantages(rewards: Floats, groups: Numbers, scaled: Numbers) -> tuple[Floats, NDArray[np.bool_]]:
    """Advantage of each episode, and of each group whether it has none.

    Args:
        rewards: one per episode, NaN for one that cannot be scored.
        groups: number of each episode's group, from 0.
        scaled: what :func:`scaled_over` gives.
    """
    total = int(groups.max()) + 1 if len(groups) else 0
    known = ~np.isnan(rewards)
    mine, values, over = groups[known], rewards[known], scaled[known]
    sizes = np.bincount(mine, minlength=total)
    centred = values - (np.bincount(mine, weights=values, minlength=total) / np.maximum(sizes, 1))[mine]
    low, high = np.full(total, np.inf), np.full(total, -np.inf)
    np.minimum.at(low, mine, values)
    np.maximum.at(high, mine, values)
    flat: NDArray[np.bool_] = high - low <= SAME
    out = np.zeros(len(rewards))
    out[known] = np.where(flat[mine], 0.0, centred / _divisors(values, over))
    return out, flat


def _divisors(values: Floats, over: Numbers) -> Floats:
    """Standard deviation of the values with each number, plus TRL's epsilon; 1 where it is -1."""
    number = over + 1  # 0 for none
    sizes = np.bincount(number)
    means = np.bincount(number, weights=values) / np.maximum(sizes, 1)
    squares = np.bincount(number, weights=(values - means[number]) ** 2)
    deviations = np.sqrt(squares / np.maximum(sizes - 1, 1))
    return np.where(over < 0, 1.0, deviations[number] + EPSILON)


def rank_correlation(first: Floats, second: Floats) -> float | None:
    """Spearman's, ties at their mean rank; ``None`` where one side is the same everywhere."""
    if len(first) < 2:
        return None
    a, b = _ranks(first), _ranks(second)
    a, b = a - a.mean(), b - b.mean()
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / scale if scale > 0 else None


def _ranks(values: Floats) -> Floats:
    """Ranks from 0 of values rounded to :data:`SAME`, ties at their mean rank."""
    _, place, counts = np.unique(np.round(values / SAME), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: Floats = (ends - (counts + 1) / 2)[place]
    return ranks


def _floats(rewards: Sequence[float | None]) -> Floats:
    return np.array([np.nan if r is None else r for r in rewards], dtype=np.float64)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _mean(values: Floats | NDArray[np.bool_]) -> float | None:
    return float(np.mean(values)) if len(values) else None
