"""What an episode calls: evidence, audit, execution and reward.

An episode knows no pool and no tool, only these functions. :func:`live_services` makes them from configs;
tests and other verifiers make their own. All are called from many threads at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType

from verulaw_rl.audit.check import check
from verulaw_rl.config.episode import EpisodeConfig, EpisodeTerms, RewardConfig
from verulaw_rl.config.verification import VerificationConfig
from verulaw_rl.evidence.collect import collect
from verulaw_rl.evidence.evidence import Evidence
from verulaw_rl.evidence.live import limits_of, open_pool, pool_verifier
from verulaw_rl.evidence.reward import Reward, load_reward
from verulaw_rl.languages.base import Finding
from verulaw_rl.suites.instance import Instance
from verulaw_rl.verification.calls import Calls
from verulaw_rl.verification.execution import RunResult
from verulaw_rl.verification.pool import Pool
from verulaw_rl.verification.verdict import Verdict


def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Assistance:
    """What a proof specialist made of a candidate: only its proof annotations rewritten, or nothing."""

    program: str | None
    """The whole rewritten program; ``None`` where nothing usable came."""
    note: str = ""
    """Why nothing came, in a few words that do not change from run to run."""


@dataclass(frozen=True, slots=True)
class Services:
    """The functions an episode calls, and how its reward is made. A context manager: leaving it closes it."""

    collect: Callable[[Instance, str], Evidence]
    """Everything known of a candidate, from the verifier; a failure of the machine is a status, no exception."""
    audit: Callable[[Instance, str], tuple[Finding, ...]]
    """The integrity audit alone."""
    execute: Callable[[Instance, str, str], RunResult]
    """Execute calls against a program, in the sandbox."""
    reward: Reward
    terms: EpisodeTerms = field(default_factory=EpisodeTerms)
    close: Callable[[], None] = _nothing
    """Releases what the functions hold; may be called twice."""
    cancel: Callable[[], None] = _nothing
    """Of one episode's services: break off its calls, from any thread. They raise
    :class:`concurrent.futures.CancelledError`, as does every later one."""
    own: Callable[[], Services] | None = None
    """Makes the services of one episode; where absent, episodes share these."""
    verify: Callable[[Instance, str], Verdict] | None = None
    """The verifier's plain verdict on a program of the instance's language; for specialists that search."""
    assist: Callable[[Instance, str, Services], Assistance] | None = None
    """The proof specialist, asked with an episode's own services; absent where none is declared. Never raises."""

    def for_episode(self) -> Services:
        """The services of one episode, whose calls can be cancelled without touching those of others."""
        return self if self.own is None else self.own()

    def __enter__(self) -> Services:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def audit(instance: Instance, candidate: str) -> tuple[Finding, ...]:
    """The integrity audit's findings on a candidate."""
    return check(instance.language, instance.task, instance.given, candidate).findings


def live_services(verification: VerificationConfig, reward: RewardConfig, episode: EpisodeConfig) -> Services:
    """Services over a pool of real verifiers, which starts at the first program to verify.

    Raises:
        UserError: the reward cannot be loaded. A missing tool is found at the first program.
    """
    pool = _LazyPool(verification)
    limits = limits_of(verification)

    loaded = load_reward(reward.file, reward.weights)

    def owned() -> Services:
        owner = Calls(pool.started)

        def collect_live(instance: Instance, candidate: str) -> Evidence:
            verify = pool_verifier(owner, instance.language, limits)
            return collect(instance, candidate, verify, verify_rejected=episode.verify_rejected)

        def verify_live(instance: Instance, program: str) -> Verdict:
            return pool_verifier(owner, instance.language, limits)(program)

        def execute_live(instance: Instance, program: str, calls: str) -> RunResult:
            return owner.execute(instance.language, program, calls)

        return Services(
            collect=collect_live,
            audit=audit,
            execute=execute_live,
            reward=loaded,
            terms=reward.episode,
            close=pool.close,
            cancel=owner.cancel,
            own=owned,
            verify=verify_live,
        )

    return owned()


class _LazyPool:
    """A pool that starts when it is first asked for, and again after it was closed."""

    def __init__(self, config: VerificationConfig) -> None:
        self._config = config
        self._lock = threading.Lock()
        self._pool: Pool | None = None

    def started(self) -> Pool:
        with self._lock:
            if self._pool is None:
                self._pool = open_pool(self._config)
            return self._pool

    def close(self) -> None:
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()
