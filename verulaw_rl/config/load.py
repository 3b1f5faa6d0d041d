"""Read a YAML file into a config model; an error is one line that names the key."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from verulaw_rl.errors import UserError

Model = TypeVar("Model", bound=BaseModel)


def load_config(path: Path, model: type[Model], overrides: tuple[str, ...] = ()) -> Model:
    """Read a config.

    Args:
        path: YAML file.
        model: what it must be.
        overrides: ``key.sub=value`` pairs that replace values, each value read as YAML.

    Raises:
        UserError: unreadable file, no YAML mapping, unknown key or bad value.
    """
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read config {path}: {error}") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path} is no YAML: {' '.join(str(error).split())}") from None
    if not isinstance(data, dict):
        raise UserError(f"{path} holds no mapping of keys to values")
    for override in overrides:
        _override(data, override)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise UserError(f"{path}: {_first(error)}") from None


def _override(data: dict[str, Any], override: str) -> None:
    key, found, value = override.partition("=")
    if not found:
        raise UserError(f"--set {override!r} must read key=value, such as grpo.updates=40")
    *parents, last = key.split(".")
    for part in parents:
        data = data.setdefault(part, {})
        if not isinstance(data, dict):
            raise UserError(f"--set {override!r}: {part!r} holds a value, not further keys")
    data[last] = yaml.safe_load(value)


def _first(error: ValidationError) -> str:
    """The first problem, with its key, in one line: an unknown key before the values that it leaves missing."""
    problems = error.errors()
    first = next((p for p in problems if p["type"] == "extra_forbidden"), problems[0])
    where = ".".join(str(part) for part in first["loc"]) or "config"
    if first["type"] == "extra_forbidden":
        return f"unknown key {where!r}; remove it, or check its spelling and indentation"
    return f"{where}: {first['msg']}"
