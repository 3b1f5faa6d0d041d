"""Self-contained HTML pages from templates: the report's and the lab's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import jinja2


def render(package: str, name: str, values: Mapping[str, Any]) -> str:
    """A template of the package's ``templates`` with its values filled in."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(package),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template(name).render(values)


def for_script(data: object) -> str:
    """JSON that a ``<script>`` element can hold: nothing in it ends the element or opens a comment."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
