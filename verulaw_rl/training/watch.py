"""Watches the metrics of a run for a rise that the hidden probes do not follow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from verulaw_rl.evaluation.alarm import Alarm, alarm_of_rows


class Watch:
    """The rows of a run so far, and whether its alarm rings."""

    def __init__(self, rows: Iterable[dict[str, Any]] = ()) -> None:
        self._rows = list(rows)
        self._ringing = bool(self._rows and self._rows[-1].get("alarm"))

    def add(self, row: dict[str, Any]) -> tuple[dict[str, Any], Alarm | None]:
        """The row with ``alarm`` set, and the alarm itself when it begins to ring."""
        self._rows.append(row)
        found = alarm_of_rows(self._rows)
        news = found if not self._ringing else None
        self._ringing = found is not None
        return row | {"alarm": self._ringing}, news
