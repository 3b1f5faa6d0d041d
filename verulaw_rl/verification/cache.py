"""Verdicts by content: the interface of a cache, and one in memory.

The key holds everything that a verdict depends on: program, tool identity, limits, and our own reading of
what the tool prints. Only settled verdicts are kept (:func:`cacheable`); a timeout or a fault may come out
otherwise the next time. ``verification.disk_cache`` keeps them on disk.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from verulaw_rl.verification.verdict import Status, ToolIdentity, Verdict, VerifyRequest


def cache_key(request: VerifyRequest, tool: ToolIdentity) -> str:
    """Hash of all that determines a verdict. Wall and memory limits only protect the machine: not of them."""
    what = {
        "language": request.language,
        "program": request.program,
        "tool": asdict(tool),
        "reading": reading_of(request.language),
        "solver_s": request.limits.solver_s,
        "error_limit": request.limits.error_limit,
        "solver_seed": request.limits.solver_seed,
    }
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache
def reading_of(language: str) -> str:
    """Hash of the sources that turn a tool's output into a Verdict: no kept verdict outlives a change of them."""
    package = Path(__file__).parent.parent
    files = [package / "verification/verdict.py", *(package / "languages").glob("*.py")]
    files += [f for room in ("verification", "languages") for f in (package / room / language).glob("*.py")]
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def cacheable(verdict: Verdict) -> bool:
    """Whether the same call must give the same verdict again."""
    return verdict.status in (Status.VERIFIED, Status.FAILED, Status.INVALID) and not any(
        o.outcome in ("timeout", "inconclusive") for o in verdict.declarations
    )


class VerdictCache(Protocol):
    """Where verdicts are kept. Called from many threads."""

    def get(self, key: str) -> Verdict | None:
        """The verdict kept under a key."""
        ...

    def put(self, key: str, verdict: Verdict) -> None:
        """Keep a verdict."""
        ...


class MemoryCache:
    """The most recently used verdicts, up to a number of entries."""

    def __init__(self, entries: int) -> None:
        self._entries = entries
        self._kept: OrderedDict[str, Verdict] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> Verdict | None:
        """The verdict kept under a key, which is then the most recent one."""
        with self._lock:
            verdict = self._kept.get(key)
            if verdict is not None:
                self._kept.move_to_end(key)
            return verdict

    def put(self, key: str, verdict: Verdict) -> None:
        """Keep a verdict, dropping the one not used for longest when full."""
        with self._lock:
            self._kept[key] = verdict
            self._kept.move_to_end(key)
            while len(self._kept) > self._entries:
                self._kept.popitem(last=False)
