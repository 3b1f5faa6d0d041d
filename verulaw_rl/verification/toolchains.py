"""Where the install script puts tools, and the small questions that finding any tool asks."""

from __future__ import annotations

import os
import re
from pathlib import Path

_SYSTEM = ("/usr/", "/bin/", "/lib/")


def toolchains() -> Path:
    """Folder of the tools that the install script fetched."""
    home = os.environ.get("VERULAW_HOME")
    return (Path(home) if home else Path.home() / ".local/share/verulaw_rl") / "toolchains"


def normalised(version: str) -> str:
    """Three numbers of a version as a tool prints it: ``2.3.0.10506`` gives ``2.3.0``."""
    m = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", version)
    return f"{m[1]}.{m[2]}.{m[3] or 0}" if m else ""


def outside_system(*wanted: Path) -> tuple[Path, ...]:
    """Of the paths, each once, those that the sandbox must be told to show."""
    return tuple(dict.fromkeys(p for p in wanted if not f"{p}/".startswith(_SYSTEM)))
