"""How programs are verified."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from verulaw_rl.config.base import ConfigModel


class VerificationConfig(ConfigModel):
    """The verifier pool of a run."""

    backend: Literal["local"] = "local"
    """Where workers run."""
    workers: int | None = Field(default=None, ge=1)
    """Number of workers; the number of cores when absent."""
    solver_s: float = Field(default=30.0, gt=0)
    """Solver work per declaration, in seconds of an idle machine; load does not change verdicts."""
    wall_s: float = Field(default=180.0, gt=0)
    """Wall-clock limit of a call, which guards the pool; several times ``solver_s``."""
    memory_gb: float = Field(default=4.0, gt=0)
    """Memory limit of a worker, in GB."""
    sandbox: Literal["auto", "bwrap", "none"] = "auto"
    """``auto`` uses bubblewrap where namespaces work and says loudly where they do not; ``bwrap`` insists."""
