"""How programs are verified."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from verulaw_rl.config.base import ConfigModel


class CacheConfig(ConfigModel):
    """Verdicts kept on a disk of this machine, for all runs of it."""

    path: str | None = None
    """Folder; ``verulaw_rl`` in the user's cache folder when absent. Must not be on a disk of several machines."""
    size_mb: int = Field(default=512, ge=1)
    """At this size the verdicts not used for longest are dropped."""


def _off(value: Any) -> Any:
    """YAML reads a bare ``off`` as false."""
    return False if value == "off" else value


class VerificationConfig(ConfigModel):
    """The verifier pool of a run."""

    backend: Literal["local", "ray"] = "local"
    """Where workers run: on this machine, or as actors of a Ray cluster (``pip install 'verulaw_rl[ray]'``)."""
    ray_address: str = "auto"
    """Of the cluster, for ``ray``; ``auto`` finds the one that this machine belongs to."""
    workers: int | None = Field(default=None, ge=1)
    """Number of workers; as many as cores and memory carry when absent."""
    cache: Annotated[CacheConfig | Literal[False], BeforeValidator(_off)] = CacheConfig()
    """Verdicts kept between runs, or ``off`` to ask the verifier every time. A timeout or an error is never kept."""
    solver_s: float = Field(default=30.0, gt=0)
    """Solver work per declaration, in seconds of an idle machine; load does not change verdicts."""
    wall_s: float | None = Field(default=None, gt=0)
    """Wall-clock limit of a call, which guards the pool; four times ``solver_s``, and at least 180 s, when absent."""
    memory_gb: float = Field(default=4.0, gt=0)
    """Memory limit of a worker, in GB."""
    sandbox: Literal["auto", "bwrap", "none"] = "auto"
    """``auto`` uses bubblewrap where namespaces work and says loudly where they do not; ``bwrap`` insists."""
