"""A pool as a run's config wants it, and a verifier for evidence from it: one language, one set of limits."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from verulaw_rl.config.verification import CacheConfig, VerificationConfig
from verulaw_rl.errors import UserError
from verulaw_rl.evidence.ablation import Verifier
from verulaw_rl.verification.cache import MemoryCache, VerdictCache
from verulaw_rl.verification.disk_cache import FILE, DiskCache, default_path
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.verdict import Limits, Verdict, VerifyRequest

log = logging.getLogger(__name__)


def open_pool(config: VerificationConfig) -> Pool:
    """A pool for episodes, with the verdicts of earlier runs.

    What measures the tool itself (building and validating suites, ``bench``) makes a :class:`Pool` without them.

    Raises:
        UserError: the cache named cannot be used, no sandbox although insisted on, no cluster at the address.
    """
    return Pool(pool_settings(config), cache=_cache_of(config.cache))


def pool_settings(config: VerificationConfig) -> PoolSettings:
    """Where programs are verified and how many at once, from the config of a run."""
    return PoolSettings(
        workers=config.workers or 0,
        memory_bytes=limits_of(config).memory_bytes,
        sandbox=config.sandbox,
        backend=config.backend,
        ray_address=config.ray_address,
    )


def _cache_of(config: CacheConfig | bool) -> VerdictCache | None:
    if not isinstance(config, CacheConfig):
        return MemoryCache(0)
    size_bytes = config.size_mb * 2**20
    if config.path is not None:
        return DiskCache(Path(config.path).expanduser() / FILE, size_bytes)
    try:
        return DiskCache(default_path(), size_bytes)
    except UserError as error:  # nobody asked for it
        log.warning("%s; verdicts are remembered in memory only", error)
        return None


def limits_of(config: VerificationConfig) -> Limits:
    """Limits of a call, from the config of a run."""
    limits = Limits.of_work(config.solver_s, config.wall_s)
    return replace(limits, memory_bytes=int(config.memory_gb * 2**30))


class _Verifies(Protocol):
    """A pool, or the calls of one owner on it."""

    def verify(self, request: VerifyRequest, /) -> Verdict: ...


def pool_verifier(pool: _Verifies, language: str, limits: Limits | None = None) -> Verifier:
    """A function that verifies program texts of a language on the pool.

    Args:
        pool: running pool, or an owner's calls on it.
        language: of the programs.
        limits: of each call; the defaults when absent.
    """
    limits = limits or Limits()

    def verify(program: str) -> Verdict:
        return pool.verify(VerifyRequest(language, program, limits))

    return verify
