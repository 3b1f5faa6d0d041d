"""Versions of what a result depends on beside the verifier, whose identity every record carries."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("verulaw_rl", "torch", "transformers", "trl", "accelerate", "tokenizers", "gymnasium")


def installed_versions() -> dict[str, str]:
    """Version by name; packages that are not installed are left out."""
    out = {"python": platform.python_version(), "platform": platform.platform()}
    for package in PACKAGES:
        try:
            out[package] = version(package)
        except PackageNotFoundError:
            continue
    return out
