"""A verifier for evidence from a pool: one language, one set of limits."""

from __future__ import annotations

from verulaw_rl.config.verification import VerificationConfig
from verulaw_rl.evidence.ablation import Verifier
from verulaw_rl.verification.pool import Pool
from verulaw_rl.verification.verdict import Limits, Verdict, VerifyRequest


def limits_of(config: VerificationConfig) -> Limits:
    """Limits of a call, from the config of a run."""
    return Limits(
        solver_s=config.solver_s,
        wall_s=config.wall_s,
        memory_bytes=int(config.memory_gb * 2**30),
    )


def pool_verifier(pool: Pool, language: str, limits: Limits | None = None) -> Verifier:
    """A function that verifies program texts of a language on the pool.

    Args:
        pool: running pool.
        language: of the programs.
        limits: of each call; the defaults when absent.
    """
    limits = limits or Limits()

    def verify(program: str) -> Verdict:
        return pool.verify(VerifyRequest(language, program, limits))

    return verify
