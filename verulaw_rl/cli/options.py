"""Options that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

SolverSeconds = Annotated[
    float,
    typer.Option(
        "--solver-s", min=0.1, help="Solver work per declaration (Nagini: per program), in seconds of an idle core."
    ),
]
"""Of each call; ``Limits.of_work`` makes limits of it."""
