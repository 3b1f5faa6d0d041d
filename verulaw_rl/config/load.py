"""Read a YAML file into a config model; an error is one line that names the key.

A file may name others that it stands on, as ``base: FILE`` or ``base: [FILE, ...]`` relative to itself: they are read
first, left to right, each over the one before, and the file's own keys over them. Sections are merged key by key;
lists, and sections whose ``type`` differs, are replaced.
"""

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
    data = read_composed(path)
    for override in overrides:
        _override(data, override)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise UserError(f"{path}: {_first(error)}") from None


def with_overrides(settings: Model, overrides: tuple[str, ...]) -> Model:
    """Settings with ``key.sub=value`` pairs replaced.

    Raises:
        UserError: unknown key or bad value.
    """
    if not overrides:
        return settings
    data = settings.model_dump(mode="json")
    for override in overrides:
        _override(data, override)
    try:
        return type(settings).model_validate(data)
    except ValidationError as error:
        raise UserError(f"--set: {_first(error)}") from None


def read_composed(path: Path, above: tuple[Path, ...] = ()) -> dict[str, Any]:
    """The keys of a YAML file over those of the files that it stands on.

    Raises:
        UserError: unreadable file, no YAML mapping, or a file that stands on itself.
    """
    if path in above:
        raise UserError(f"{path} stands on itself by `base`")
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read config {path}: {error}") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path} is no YAML: {' '.join(str(error).split())}") from None
    if not isinstance(data, dict):
        raise UserError(f"{path} holds no mapping of keys to values")
    bases = data.pop("base", [])
    merged: dict[str, Any] = {}
    for base in [bases] if isinstance(bases, str) else bases:
        merged = _merged(merged, read_composed((path.parent / str(base)).resolve(), (*above, path)))
    return _merged(merged, data)


def _merged(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        sections = isinstance(below, dict) and isinstance(value, dict)
        same = sections and value.get("type", below.get("type")) == below.get("type")  # type: ignore[union-attr]
        merged[key] = _merged(below, value) if same else value  # type: ignore[arg-type]
    return merged


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
