"""The reward of an episode: a pure function of its submissions' scores and its wasted turns.

Design, ``Reward of an episode``. The environment pays it in steps, records are scored again with it.
"""

from __future__ import annotations

from collections.abc import Sequence

from verulaw_rl.config.episode import EpisodeTerms


def wasted_penalty(wasted: int, terms: EpisodeTerms) -> float:
    """What ``wasted`` unchanged resubmissions and turns without a valid action cost together; never positive."""
    return max(terms.wasted_cap, wasted * terms.wasted_turn)


def episode_value(scores: Sequence[float | None], wasted: int, terms: EpisodeTerms) -> float | None:
    """Reward of an ended episode.

    Args:
        scores: score of each submission, in any order; ``None`` for one that cannot be scored.
        wasted: number of unchanged resubmissions and of turns without a valid action.
        terms: the terms beside the best submission's score.

    Returns:
        Best score plus the penalty; ``terms.no_submission`` stands for the score where nothing was submitted;
        ``None`` where something was submitted and nothing of it can be scored.
    """
    scored = [s for s in scores if s is not None]
    if scores and not scored:
        return None
    return max(scored, default=terms.no_submission) + wasted_penalty(wasted, terms)


def value_so_far(scores: Sequence[float | None], wasted: int, terms: EpisodeTerms) -> float:
    """Value of an episode that still runs: steps pay its changes.

    As :func:`episode_value`, but what is not settled before the end (no submission, none that can be scored)
    counts 0.
    """
    scored = [s for s in scores if s is not None]
    return max(scored, default=0.0) + wasted_penalty(wasted, terms)
