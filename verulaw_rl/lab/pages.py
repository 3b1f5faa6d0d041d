"""Pages of the lab: self-contained HTML, readable in dark and in light."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jinja2


def render(name: str, values: Mapping[str, Any]) -> str:
    """A template of ``templates`` with its values filled in."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("verulaw_rl.lab"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template(name).render(values)
