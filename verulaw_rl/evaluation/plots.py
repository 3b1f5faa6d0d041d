"""Line plots as SVG text that is put into a page as it is. Pure; the report calls it.

Text and axes take the page's own colour (``currentColor``), so one plot is readable in dark and in light.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import matplotlib

matplotlib.use("svg")

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

INK = "#010203"
"""Stands for the page's text colour until the SVG is written."""
SMALL_SHARE = 0.3
"""Shares that stay below are drawn on an axis of their own height, others from 0 to 100 %."""
COLOURS = ("#3b82f6", "#e08a1e", "#22a06b", "#a371f7", "#e5484d", "#8b95a1")
"""Each readable on white and on near-black."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its name and its points."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    """Interval of each point, where there is one."""
    high: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Plot:
    """One plot of lines over a common axis."""

    title: str
    lines: tuple[Line, ...]
    x_label: str = "update"
    share: bool = False
    """Values from 0 to 1, shown as percent."""
    whole_x: bool = True
    """The axis counts something: its ticks are whole numbers."""
    stacked: bool = False
    """Areas on top of one another (parts of a whole)."""


def draw(plot: Plot) -> str:
    """The plot as an ``<svg>`` element with a title for those who do not see it."""
    options: dict[Any, Any] = {
        "svg.fonttype": "none",
        "svg.hashsalt": plot.title,
        "font.size": 9,
        **{key: INK for key in ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")},
    }
    with rc_context(options):
        figure = Figure(figsize=(4.6, 2.7), layout="constrained")
        axes = figure.subplots()
        if plot.stacked:
            shortest = min(plot.lines, key=lambda line: len(line.x))
            axes.stackplot(
                shortest.x,
                *(line.y[: len(shortest.x)] for line in plot.lines),
                labels=[line.label for line in plot.lines],
                colors=COLOURS,
                alpha=0.85,
            )
        else:
            for line, colour in zip(plot.lines, COLOURS, strict=False):
                _line(axes, line, colour)
        axes.set_title(plot.title, loc="left", fontsize=10, fontweight="bold")
        axes.set_xlabel(plot.x_label)
        axes.xaxis.set_major_locator(MaxNLocator(integer=plot.whole_x, nbins=6))
        if plot.share:
            axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
            highest = max((value for line in plot.lines for value in (*line.y, *line.high)), default=1.0)
            top = 1.02 if highest > SMALL_SHARE else max(1.2 * highest, 0.05)
            lowest = min((value for line in plot.lines for value in line.y), default=0.0)
            axes.set_ylim(min(-0.02 * top, 1.1 * lowest), top)
        else:
            axes.ticklabel_format(axis="y", useOffset=False)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", color=INK, alpha=0.12, linewidth=0.7)
        if len(plot.lines) > 1:
            figure.legend(frameon=False, fontsize=8, loc="outside lower center", ncols=min(4, len(plot.lines)))
        out = io.StringIO()
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return _for_page(out.getvalue(), plot.title)


def _line(axes: Any, line: Line, colour: str) -> None:
    """The points, faint where there are many, under their running mean."""
    many = len(line.y) >= 24
    if many:
        axes.plot(line.x, line.y, color=colour, linewidth=0.8, alpha=0.3)
    smooth = _running_mean(line.y, max(1, len(line.y) // 12)) if many else line.y
    if line.low and line.high:
        axes.fill_between(line.x, line.low, line.high, color=colour, alpha=0.18, linewidth=0)
    marker = "o" if len(line.y) < 24 else None
    axes.plot(line.x, smooth, color=colour, linewidth=1.8, marker=marker, markersize=3, label=line.label)


def _running_mean(values: Sequence[float], half: int) -> list[float]:
    return [
        sum(window) / len(window) for window in (values[max(0, n - half) : n + half + 1] for n in range(len(values)))
    ]


def _for_page(svg: str, title: str) -> str:
    """Without prologue, size and the ids that nothing refers to: several plots share one page."""
    svg = svg[svg.index("<svg") :].replace(INK, "currentColor")
    used = set(re.findall(r"#([\w-]+)", svg))
    svg = re.sub(r' id="([^"]*)"', lambda m: m[0] if m[1] in used else "", svg)
    return re.sub(r'width="[\d.]+pt" height="[\d.]+pt"', f'role="img" aria-label="{escape(title)}"', svg, count=1)
