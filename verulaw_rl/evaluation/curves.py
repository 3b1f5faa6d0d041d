"""Which plots a training run's metrics give. Pure; the report draws them.

A row of ``metrics.jsonl`` has ``update`` and any of the keys below; a plot is drawn when some row has one of its keys.
Keys ``seconds/PART`` are the parts of an update's time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from verulaw_rl.evaluation.plots import Line, Plot

SECONDS = "seconds/"
PLOTS: tuple[tuple[str, bool, dict[str, str]], ...] = (
    ("Reward of training episodes", False, {"reward": "reward"}),
    (
        "Verified in training episodes",
        True,
        {"verified": "verified", "verified_and_probes": "verified, every probe holds"},
    ),
    (
        "What the audit found",
        True,
        {"specification_changed": "specification changed", "proof_escape": "proof escaped"},
    ),
    (
        "What a batch offers",
        True,
        {
            "probes": "probes that hold",
            "invalid_turns": "invalid turns",
            "groups_without_signal": "groups without signal",
        },
    ),
    ("KL to the policy before GRPO", False, {"kl": "KL"}),
    ("Entropy per token", False, {"entropy": "entropy"}),
    ("Share of clipped tokens", True, {"clip_ratio": "clipped"}),
    ("Loss of the warm start", False, {"warm_start/loss": "loss"}),
)
"""Title, whether values are shares, and the lines: key and label."""


def training_plots(rows: Sequence[dict[str, Any]]) -> list[Plot]:
    """The plots for which there are at least two points."""
    plots = []
    for title, share, keys in PLOTS:
        lines = tuple(line for key, label in keys.items() if len((line := _line(rows, key, label)).x) > 1)
        if lines:
            label = "batch" if next(iter(keys)).startswith("warm_start/") else "update"
            plots.append(Plot(title, lines, x_label=label, share=share))
    parts = sorted({key for row in rows for key in row if key.startswith(SECONDS)})
    complete = [row for row in rows if parts and all(_is_number(row.get(part)) for part in parts)]
    lines = tuple(_line(complete, part, part.removeprefix(SECONDS)) for part in parts)
    if len(complete) > 1:
        plots.append(Plot("Seconds of an update by part", lines, stacked=True))
    return plots


def _line(rows: Sequence[dict[str, Any]], key: str, label: str) -> Line:
    axis = "batch" if key.startswith("warm_start/") else "update"
    points = [(float(row[axis]), float(row[key])) for row in rows if _is_number(row.get(key)) and axis in row]
    return Line(label, [x for x, _ in points], [y for _, y in points])


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value
