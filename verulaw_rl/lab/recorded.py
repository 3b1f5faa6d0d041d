"""Recorded episodes as scoring them again needs them: evidence, old scores, wasted turns, and their group.

Only what a reward is computed from is decoded, by msgspec straight into the dataclasses that rewards take: reading
whole records with ``episodes.record`` takes many times as long as scoring them. The lab's commands call
:func:`read_episodes`.
"""

from __future__ import annotations

import gc
import itertools
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
import yaml
from pydantic import ValidationError

from verulaw_rl.episodes.record import EpisodeRecord, record_from_row
from verulaw_rl.errors import UserError
from verulaw_rl.evaluation.run_folder import EVALUATIONS
from verulaw_rl.evidence.evidence import Evidence
from verulaw_rl.evidence.reward import Score

TRAINING = "episodes.jsonl"

Scale = Literal["group", "batch", "none"]
SCALES: tuple[Scale, ...] = get_args(Scale)


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """The part of a turn that its episode's reward depends on."""

    action: str | None = None
    invalid: dict[str, Any] | None = None
    evidence: Evidence | None = None
    score: Score | None = None
    assisted: Score | None = None
    assisted_evidence: Evidence | None = None
    unchanged: bool = False

    @property
    def wasted(self) -> bool:
        """Whether it costs reward."""
        return self.unchanged or self.invalid is not None


@dataclass(frozen=True, slots=True)
class Scoring:
    """How a run scored its episodes."""

    name: str
    """Of the reward file, without its folder and suffix."""
    weights: dict[str, Any]
    terms: dict[str, float]


@dataclass(frozen=True, slots=True)
class RecordedEpisode:
    """One episode."""

    file: Path
    row: int
    """1-based line of the file."""
    instance: str
    group: tuple[object, ...]
    """Episodes with the same value were one group: their advantages are relative to one another. All but the last part
    names their batch."""
    turns: tuple[RecordedTurn, ...]
    reward: float | None
    """As recorded; ``None`` where it could not be scored."""
    scoring: Scoring
    scale: Scale = "group"
    """Over what the trainer scales advantages: ``grpo.scale_rewards`` of the run."""

    @property
    def place(self) -> str:
        """File and row, as ``verulaw-rl explain`` takes them."""
        return f"{self.file}:{self.row}"


@dataclass(frozen=True, slots=True)
class _Row:
    instance: str
    turns: tuple[RecordedTurn, ...]
    reward: float | None
    reward_name: str
    reward_weights: msgspec.Raw
    terms: msgspec.Raw
    policy: str = ""
    policy_version: str = ""
    update: int | None = None


_DECODER = msgspec.json.Decoder(_Row)


def episode_files(runs: Sequence[Path]) -> list[Path]:
    """Files of episodes: of a training run its training episodes, of an evaluation its own, or the files named.

    Raises:
        UserError: nothing there, or a folder without episodes.
    """
    files: list[Path] = []
    for run in runs:
        if run.is_dir():
            found = [run / TRAINING] if (run / TRAINING).is_file() else []
            found = found or [run / name for name in EVALUATIONS.values() if (run / name).is_file()]
            if not found:
                raise UserError(f"{run} holds neither {TRAINING} nor {', '.join(EVALUATIONS.values())}")
            files += found
        elif run.is_file():
            files.append(run)
        else:
            raise UserError(f"no run {run}; give the folder of a run or of an evaluation, or a file of episodes")
    return files


def folder_of(run: Path) -> Path:
    """Folder of a run, or the one that holds a file of episodes."""
    return run if run.is_dir() else run.parent


def read_episodes(runs: Sequence[Path]) -> tuple[RecordedEpisode, ...]:
    """Every episode of some runs, in order; a last line that was cut off is left out.

    Raises:
        UserError: a run cannot be read, holds a row that is no episode, or there are no episodes at all.
    """
    # The collector would walk the growing heap again and again, and find nothing: that costs as much as the decoding.
    # What was read lives as long as the command, so later collections need not walk it either.
    collecting = gc.isenabled()
    gc.disable()
    try:
        episodes = tuple(itertools.chain.from_iterable(map(_read, episode_files(runs))))
    finally:
        gc.freeze()
        if collecting:
            gc.enable()
    if not episodes:
        raise UserError(f"no episodes in {', '.join(map(str, runs))}")
    return episodes


def scale_of(folder: Path) -> Scale:
    """``grpo.scale_rewards`` of the run in a folder; the trainer's default where there is no config that says it.

    Raises:
        UserError: the config cannot be read, or says something else.
    """
    config = folder / "config.yaml"
    if not config.is_file():
        return "group"
    try:
        read = yaml.safe_load(config.read_text(encoding="utf-8")) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UserError(f"cannot read {config}: {error}") from None
    grpo = read.get("grpo") if isinstance(read, dict) else None
    said = grpo.get("scale_rewards", "group") if isinstance(grpo, dict) else "group"
    for scale in SCALES:
        if said == scale:
            return scale
    raise UserError(f"{config}: grpo.scale_rewards is {said!r}; it must be one of {', '.join(SCALES)}")


def _read(file: Path) -> Iterator[RecordedEpisode]:
    scorings: dict[tuple[str, bytes, bytes], Scoring] = {}
    scale = scale_of(file.parent)
    for number, row in _rows(file):
        key = (row.reward_name, bytes(row.reward_weights), bytes(row.terms))
        if key not in scorings:
            scorings[key] = Scoring(key[0], msgspec.json.decode(key[1]), msgspec.json.decode(key[2]))
        group = (file, row.update, row.policy, row.policy_version, row.instance)
        yield RecordedEpisode(file, number, row.instance, group, row.turns, row.reward, scorings[key], scale)


def read_record(file: Path, row: int) -> EpisodeRecord:
    """The whole record of one row, counted from 1.

    Raises:
        UserError: there is no such file or row, or the row is no episode.
    """
    return read_records(file, {row})[row]


def read_records(file: Path, rows: Collection[int]) -> dict[int, EpisodeRecord]:
    """The whole records of some rows, counted from 1; the file is read once.

    Raises:
        UserError: there is no such file or row, or a row is no episode.
    """
    found: dict[int, EpisodeRecord] = {}
    try:
        with file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if number in rows and line.strip():
                    found[number] = _record(file, number, line)
                    if len(found) == len(rows):
                        break
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read episodes {file}: {error}") from None
    missing = next((row for row in rows if row not in found), None)
    if missing is not None:
        raise UserError(f"{file} has no row {missing}; rows count from 1")
    return found


def _record(file: Path, row: int, line: str) -> EpisodeRecord:
    try:
        return record_from_row(json.loads(line))
    except (json.JSONDecodeError, ValidationError) as error:
        raise UserError(f"{file}:{row}: no episode record ({str(error).splitlines()[0]})") from None


def _rows(file: Path) -> Iterator[tuple[int, _Row]]:
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError as error:
        raise UserError(f"cannot read episodes {file}: {error.strerror or error}") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield number, _DECODER.decode(line)
        except msgspec.ValidationError as error:
            raise UserError(f"{file}:{number}: no episode record ({error})") from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            if number == len(lines):
                return
            raise UserError(f"{file}:{number}: no JSON ({error}); remove the line") from None
