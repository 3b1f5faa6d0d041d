"""A build's finished programs on disk, so that a long build that is stopped goes on where it was.

One JSON line for the settings of the build, then one for each finished program. A journal of other settings
is put aside by starting anew. The last line may be torn by a kill; it is left out. ``build`` writes it beside
its output and removes it with the last program.
"""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from verulaw_rl.languages.base import Task
from verulaw_rl.suites.instance import Instance, instance_from_row, instance_to_row


@dataclass(frozen=True, slots=True)
class Rejection:
    """A program that gives no instance of a task, with the reason: a short name and what was seen."""

    program: str
    task: Task
    reason: str
    detail: str = ""


Built = tuple[list[Instance], list[Rejection]]
"""What one program gave."""


class Journal:
    """Finished programs of one build, by the program's name and text. A context manager; thread-safe."""

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        """Open a journal; what it holds is kept only where ``settings`` (plain JSON data) are the same."""
        self.path = path
        self._lock = threading.Lock()
        self._done: dict[str, Built] = {}
        head = json.dumps({"settings": settings}, sort_keys=True)
        kept = [head]
        if path.exists():
            lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
            if lines[0] == head:
                kept += [line for line in lines[1:] if self._read(line)]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(kept) + "\n", encoding="utf-8")
        self._file: IO[str] = path.open("a", encoding="utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()

    def __len__(self) -> int:
        """Programs that are finished."""
        return len(self._done)

    def get(self, name: str, text: str) -> Built | None:
        """What a program gave, if it is finished."""
        return self._done.get(_key(name, text))

    def add(self, name: str, text: str, built: Built) -> None:
        """Note a finished program."""
        instances, rejected = built
        key = _key(name, text)
        row = {
            "program": key,
            "instances": [instance_to_row(i) for i in instances],
            "rejected": [asdict(r) for r in rejected],
        }
        with self._lock:
            self._done[key] = built
            self._file.write(json.dumps(row, ensure_ascii=False) + "\n")
            self._file.flush()

    def remove(self) -> None:
        """Delete the journal: the build is finished."""
        self._file.close()
        self.path.unlink(missing_ok=True)

    def _read(self, line: str) -> bool:
        try:
            row = json.loads(line)
            instances = [instance_from_row(i) for i in row["instances"]]
            rejected = [Rejection(**{**r, "task": Task(r["task"])}) for r in row["rejected"]]
            self._done[row["program"]] = (instances, rejected)
        except (ValueError, KeyError, TypeError):
            return False
        return True


def _key(name: str, text: str) -> str:
    return f"{name} {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
