"""Each weight and penalty swept alone: what the advantages of recorded episodes owe to its value. Pure.

``verulaw-rl sensitivity`` prints the sweeps; ``write_sensitivity`` draws them into one HTML page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verulaw_rl.errors import UserError
from verulaw_rl.evaluation.pages import render
from verulaw_rl.evaluation.plots import Line, Plot, draw
from verulaw_rl.lab.choice import Choice, with_settings
from verulaw_rl.lab.recorded import RecordedEpisode
from verulaw_rl.lab.rescoring import Comparison, compare, rescore_all

FACTORS = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 4.0)
"""Of a number that is not 0."""
AROUND_ZERO = (-1.0, -0.5, 0.0, 0.5, 1.0)
SAME = 1 - 1e-9


@dataclass(frozen=True, slots=True)
class Point:
    """The episodes scored with one value, compared with the base."""

    value: float
    mean_reward: float | None
    zero_variance: float | None
    """Share of the groups without variance."""
    rank_correlation: float | None
    """Spearman's, of advantages with those of the base."""
    sign_flips: float
    """Share of the episodes whose advantage changes its sign."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """One value swept; a switch counts as 0 and 1."""

    key: str
    base: float
    points: tuple[Point, ...]

    @property
    def matters(self) -> bool:
        """Whether any value changes the order of advantages, or how many groups have some."""
        return any(
            p.sign_flips > 0
            or (p.rank_correlation is not None and p.rank_correlation < SAME)
            or p.zero_variance != self.points[0].zero_variance
            for p in self.points
        )


def sensitivity(
    episodes: Sequence[RecordedEpisode], base: Choice, progress: Callable[[int, int], None] = lambda done, total: None
) -> tuple[Sweep, ...]:
    """Sweep every number and switch of a reward and of the terms, one at a time.

    Args:
        episodes: what is scored.
        base: where each sweep starts, and what its points are compared with.
        progress: called with sweeps done and their number.

    Raises:
        UserError: there is nothing to sweep, or the reward returns something that it may not.
    """
    values = {key: value for key, value in base.values.items() if isinstance(value, int | float)}
    old = rescore_all(episodes, base.reward, base.terms)
    sweeps = []
    for done, (key, value) in enumerate(values.items()):
        progress(done, len(values))
        points = []
        for tried in _tried(value):
            try:
                choice = with_settings(base, [f"{key}={str(tried).lower()}"])
            except UserError:
                continue  # a value that the reward's own bounds exclude
            found = compare(episodes, rescore_all(episodes, choice.reward, choice.terms), old)
            points.append(_point(float(tried), found))
        sweeps.append(Sweep(key, float(value), tuple(points)))
    progress(len(values), len(values))
    return tuple(sweeps)


def write_sensitivity(path: Path, title: str, sweeps: Sequence[Sweep], scored: str) -> None:
    """Write the page: one plot for each value that matters, and a table of all."""
    page: dict[str, Any] = {
        "title": title,
        "scored": scored,
        "plots": [draw(_plot(sweep)) for sweep in sweeps if sweep.matters],
        "without": [sweep.key for sweep in sweeps if not sweep.matters],
        "sweeps": [sweep for sweep in sweeps if sweep.matters],
    }
    path.write_text(render("verulaw_rl.lab", "sensitivity.html", page), encoding="utf-8")


def _tried(value: float) -> tuple[float, ...]:
    if isinstance(value, bool):
        return (False, True)
    return tuple(value * factor + 0.0 for factor in FACTORS) if value else AROUND_ZERO


def _point(value: float, found: Comparison) -> Point:
    flips = len(found.sign_flips) / found.scorable if found.scorable else 0.0
    return Point(value, found.mean_new, found.zero_variance_new, found.advantage_rank_correlation, flips)


def _plot(sweep: Sweep) -> Plot:
    points = sorted(sweep.points, key=lambda p: p.value)
    lines = (
        ("rank correlation", [(p.value, p.rank_correlation) for p in points]),
        ("groups without variance", [(p.value, p.zero_variance) for p in points]),
        ("sign flips", [(p.value, p.sign_flips) for p in points]),
    )
    return Plot(
        sweep.key,
        tuple(
            Line(label, [x for x, y in line if y is not None], [y for _, y in line if y is not None])
            for label, line in lines
        ),
        x_label=f"value ({sweep.base:g} in the run)",
        share=True,
        whole_x=False,
    )
