"""A run that is told to end: by SIGUSR1 (its time is nearly over), SIGTERM (preemption), or a file that appears.

The file (``VERULAW_STOP_FILE``) reaches every process of a job on every machine, through whatever launched them.

Outside of GRPO the run ends at once, since every phase can be resumed. Inside it writes a checkpoint first: weights do
not change while episodes are played, so the state after the last update is the one to keep, and no update is lost
that was finished. The command then exits with :data:`EXIT_RESUMABLE`, on which the job queues itself again.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

EXIT_RESUMABLE = 75
"""As ``EX_TEMPFAIL`` of sysexits: try again later."""

_SIGNALS = (signal.SIGUSR1, signal.SIGTERM)


STOP_FILE = "VERULAW_STOP_FILE"
"""Environment variable that names the file."""
_LOOK_S = 1.0


class StoppedError(Exception):
    """The run ended because it was told to; what it had is in its folder."""


class StopRequest:
    """Whether the run was told to end."""

    def __init__(self) -> None:
        self.requested = False
        self._deferred = False

    @contextmanager
    def heard(self) -> Iterator[StopRequest]:
        """Hear the signals inside; only the main thread can."""
        if threading.current_thread() is not threading.main_thread():
            yield self
            return
        before = {number: signal.signal(number, self._hear) for number in _SIGNALS}
        over = threading.Event()
        if file := os.environ.get(STOP_FILE):
            threading.Thread(target=_watch, args=(Path(file), over), name="stop-file", daemon=True).start()
        try:
            yield self
        finally:
            over.set()
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Inside, a signal is only noted: the caller looks at :attr:`requested` and ends by itself."""
        self._deferred = True
        try:
            yield
        finally:
            self._deferred = False

    def check(self) -> None:
        """End here, if told to.

        Raises:
            StoppedError: the run was told to end.
        """
        if self.requested:
            raise StoppedError

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self.requested = True
        if not self._deferred:
            raise StoppedError


def _watch(file: Path, over: threading.Event) -> None:
    """Send this process the signal when the file appears: only the main thread can end a phase."""
    while not over.wait(_LOOK_S):
        if file.exists():
            os.kill(os.getpid(), signal.SIGUSR1)
            return
