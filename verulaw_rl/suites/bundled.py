"""The seed suite as it ships: already built, so that an environment can be made where no tool is.

``python -m verulaw_rl.suites.bundled`` builds it again under the installed tool; a test holds the file
to the programs that it was built from.
"""

from __future__ import annotations

from pathlib import Path

from verulaw_rl.languages.base import Task
from verulaw_rl.suites.instance import Suite, load_suite

BUNDLED = Path(__file__).parent / "seed" / "dafny" / "suite.jsonl"
HELDOUT_SHARE = 0.3


def bundled_suite(task: Task | None = None) -> Suite:
    """The bundled seed suite; with a task, only its instances."""
    suite = load_suite(BUNDLED)
    if task is None:
        return suite
    return Suite(suite.name, tuple(i for i in suite.instances if i.task is task))
