"""The folder of one training run: everything that it leaves behind, and what it needs to go on.

``config.yaml`` (resolved), ``versions.json``, ``state.json`` (phases done), ``suite.jsonl``,
``warm_start.jsonl``, ``metrics.jsonl`` and ``episodes.jsonl`` (rows by update), ``evaluation-before.jsonl`` and
``-after``, ``policy/`` (model folders), ``checkpoints/``, ``report.html``, ``log.txt``. A folder is never written
over: a new run whose name is taken gets a number. Anything may stop a run at any moment, so whole files
appear by renaming, and rows behind the last checkpoint are cut off when it resumes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import yaml

from verulaw_rl.config.load import load_config
from verulaw_rl.config.train import TrainConfig
from verulaw_rl.errors import UserError
from verulaw_rl.evaluation.run_folder import read_rows
from verulaw_rl.evaluation.versions import installed_versions
from verulaw_rl.suites.prepare import ProofPair

PHASES = ("suite", "warm_start", "evaluation_before", "grpo", "evaluation_after", "report")


class TrainingFolder:
    """One run's folder. :meth:`create` makes a new one, :meth:`open` finds one to resume."""

    def __init__(self, path: Path, config: TrainConfig) -> None:
        self.path = path
        self.config = config
        self.checkpoints = path / "checkpoints"
        self.warm_policy = path / "policy" / "warm_start"
        self.final_policy = path / "policy" / "final"
        state = path / "state.json"
        self._state: dict[str, Any] = json.loads(state.read_text()) if state.is_file() else {"phases": {}}

    @classmethod
    def create(cls, config: TrainConfig) -> TrainingFolder:
        """A new folder ``<output>/<name>``, with a number behind it where that is taken.

        Raises:
            UserError: the place cannot be written.
        """
        output = Path(config.output).expanduser()
        number = 1
        while True:
            path = output / (config.name if number == 1 else f"{config.name}-{number}")
            try:
                path.mkdir(parents=True)
                break
            except FileExistsError:
                number += 1
            except OSError as error:
                raise UserError(f"cannot make the run folder {path}: {error.strerror}; set `output`") from None
        folder = cls(path, config)
        text = yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
        (path / "config.yaml").write_text(text, encoding="utf-8")
        versions = installed_versions() | ({"commit": commit} if (commit := _commit()) else {})
        (path / "versions.json").write_text(json.dumps(versions, indent=2) + "\n", encoding="utf-8")
        folder._write_state()
        return folder

    @classmethod
    def open(cls, path: Path) -> TrainingFolder:
        """The folder of an earlier attempt.

        Raises:
            UserError: it is none of a training run.
        """
        if not (path / "config.yaml").is_file() or not (path / "state.json").is_file():
            raise UserError(f"{path} is no folder of a training run (no config.yaml and state.json); nothing to resume")
        return cls(path, load_config(path / "config.yaml", TrainConfig))

    def done(self, phase: str) -> bool:
        """Whether a phase was finished."""
        return phase in self._state["phases"]

    def facts(self, phase: str) -> dict[str, Any]:
        """What a finished phase left to be remembered."""
        facts: dict[str, Any] = self._state["phases"][phase]
        return facts

    def finish(self, phase: str, **facts: Any) -> None:
        """Note that a phase is finished."""
        self._state["phases"][phase] = facts
        self._write_state()

    def add_versions(self, **versions: Any) -> None:
        """Add to ``versions.json``."""
        path = self.path / "versions.json"
        write_whole(path, json.dumps(json.loads(path.read_text()) | versions, indent=2) + "\n")

    def add_rows(self, name: str, rows: Iterable[dict[str, Any]]) -> None:
        """Append rows to a JSONL file."""
        with (self.path / name).open("a", encoding="utf-8") as out:
            out.writelines(json.dumps(row) + "\n" for row in rows)

    def cut_rows_after(self, update: int) -> None:
        """Drop rows of later updates, and a line that was cut off; they will be made again."""
        for name in ("metrics.jsonl", "episodes.jsonl"):
            rows = [row for row in read_rows(self.path / name) if row.get("update", 0) <= update]
            write_whole(self.path / name, "".join(json.dumps(row) + "\n" for row in rows))

    def write_pairs(self, pairs: Iterable[ProofPair]) -> None:
        """Keep what the warm start learns from."""
        write_whole(self.path / "warm_start.jsonl", "".join(json.dumps(asdict(p)) + "\n" for p in pairs))

    def read_pairs(self) -> list[ProofPair]:
        """Inverse of :meth:`write_pairs`."""
        return [ProofPair(**row) for row in read_rows(self.path / "warm_start.jsonl")]

    def _write_state(self) -> None:
        write_whole(self.path / "state.json", json.dumps(self._state, indent=2) + "\n")


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there as it was, or as it is to be, and nothing between."""
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    part.replace(path)


def make_folder_whole(folder: Path, fill: Callable[[Path], None]) -> None:
    """Let ``fill`` write into a folder beside, which then takes the place of ``folder``."""
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    fill(part)
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)


def _commit() -> str | None:
    """Commit of the checkout that this package runs from, if it is one; a ``+`` behind it when files differ."""
    top = Path(__file__).resolve().parents[2]
    if not (top / ".git").exists():
        return None
    try:
        commit = subprocess.run(["git", "-C", top, "rev-parse", "HEAD"], capture_output=True, text=True, timeout=10)
        dirty = subprocess.run(["git", "-C", top, "status", "--porcelain"], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return commit.stdout.strip() + ("+" if dirty.stdout.strip() else "") if commit.returncode == 0 else None
