"""What a run says while it goes on. The command shows it to a person; tests keep it."""

from __future__ import annotations

from typing import Protocol


class Reporter(Protocol):
    """Receives the progress of a run, from its main thread."""

    def phase(self, title: str) -> None:
        """A phase begins."""
        ...

    def progress(self, done: int, total: int, facts: str = "") -> None:
        """How far the phase is, and its latest figures in words."""
        ...

    def say(self, line: str) -> None:
        """A result or a warning worth a line of its own."""
        ...


class Silent:
    """A reporter that says nothing."""

    def phase(self, title: str) -> None:
        """Nothing."""

    def progress(self, done: int, total: int, facts: str = "") -> None:
        """Nothing."""

    def say(self, line: str) -> None:
        """Nothing."""
