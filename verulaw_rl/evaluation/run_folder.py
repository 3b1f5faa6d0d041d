"""What a run or evaluation folder holds, read for a report. A run may still be going on, or have been killed.

A training run: ``config.yaml``, ``versions.json``, ``suite.jsonl``, ``metrics.jsonl``, ``episodes.jsonl``,
``evaluation-before.jsonl`` and ``evaluation-after.jsonl``. An evaluation: the same without training, its episodes in
``evaluation.jsonl``. Anything may be missing but the episodes or metrics; a last line that was cut off is left out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from verulaw_rl.episodes.record import EpisodeRecord, record_from_row
from verulaw_rl.errors import UserError
from verulaw_rl.suites.instance import Instance, load_suite

EVALUATIONS = {
    "evaluation": "evaluation.jsonl",
    "before": "evaluation-before.jsonl",
    "after": "evaluation-after.jsonl",
}
"""Evaluations a folder may hold, in the order in which they are shown."""
CHECKPOINT = "update-"
"""How the files of a training run's evaluations between begin, in its folder ``evaluations``."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The episodes of one evaluation, by the name under which it is shown."""

    name: str
    records: tuple[EpisodeRecord, ...]
    instances: dict[str, Instance]
    """Those whose suite the folder holds, by key."""
    folder: Path | None = None
    """Of the evaluation, where it is one by itself; what was found out afterwards lies there too."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Everything that a report needs of one folder."""

    path: Path
    config: dict[str, Any]
    config_text: str
    versions: dict[str, Any]
    metrics: tuple[dict[str, Any], ...]
    evaluations: dict[str, tuple[EpisodeRecord, ...]]
    instances: dict[str, Instance]

    @property
    def is_training(self) -> bool:
        """Whether it is a training run rather than an evaluation alone."""
        return "evaluation" not in self.evaluations

    @property
    def updates_wanted(self) -> int:
        """Updates that the config asks for; 0 where it does not say."""
        return int((self.config.get("grpo") or {}).get("updates", 0))

    @property
    def updates_done(self) -> int:
        """The last update in the metrics."""
        return max((int(row.get("update", 0)) for row in self.metrics), default=0)


def read_run_folder(path: Path) -> RunFolder:
    """Read a folder.

    Raises:
        UserError: there is no such folder, it is none of a run, or a file in it is damaged.
    """
    if not path.is_dir():
        raise UserError(f"no folder {path}; give the folder of a run or of an evaluation")
    evaluations = {name: read_records(path / file) for name, file in EVALUATIONS.items() if (path / file).is_file()}
    metrics = tuple(read_rows(path / "metrics.jsonl"))
    if not evaluations and not metrics:
        raise UserError(
            f"{path} holds neither {', '.join(EVALUATIONS.values())} nor metrics.jsonl; it is no run folder"
        )
    config_text = _text(path / "config.yaml")
    suite = path / "suite.jsonl"
    return RunFolder(
        path=path,
        config=yaml.safe_load(config_text) or {},
        config_text=config_text,
        versions=json.loads(_text(path / "versions.json") or "{}"),
        metrics=metrics,
        evaluations=evaluations,
        instances={i.key: i for i in load_suite(suite).instances} if suite.is_file() else {},
    )


def read_checkpoints(path: Path) -> list[tuple[int, Evaluation]]:
    """Held-out evaluations of a training run by update, ``before`` as 0 and ``after`` as its last.

    Raises:
        UserError: no run folder.
    """
    run = read_run_folder(path)
    title = path.resolve().name
    out = []
    if run.evaluations.get("before"):
        out.append((0, Evaluation(f"{title}:before", run.evaluations["before"], run.instances)))
    for file in (path / "evaluations").glob(f"{CHECKPOINT}*.jsonl"):
        update = file.stem.removeprefix(CHECKPOINT)
        if update.isdigit() and (records := read_records(file)):
            out.append((int(update), Evaluation(f"{title}:{file.stem}", records, run.instances)))
    if run.evaluations.get("after"):
        last = max(run.updates_done, run.updates_wanted)
        out.append((last, Evaluation(f"{title}:after", run.evaluations["after"], run.instances)))
    return sorted(out, key=lambda pair: pair[0])


def read_evaluation(named: str) -> Evaluation:
    """One evaluation by what a person names: ``FOLDER``; of a training run ``FOLDER:before``, ``FOLDER:update-20``.

    A folder stands for its evaluation, or for the one after training where it has one.

    Raises:
        UserError: no run folder, or it holds no such evaluation.
    """
    folder, _, part = named.rpartition(":") if not Path(named).exists() else (named, "", "")
    run = read_run_folder(Path(folder))
    if part.startswith(CHECKPOINT) and (records := read_records(run.path / "evaluations" / f"{part}.jsonl")):
        return Evaluation(f"{Path(folder).resolve().name}:{part}", records, run.instances)
    found = [part] if part else [n for n in ("evaluation", "after", "before") if n in run.evaluations]
    if not found or not run.evaluations.get(found[0]):
        have = ", ".join(run.evaluations) or "none"
        raise UserError(f"{folder} holds no evaluation {part or 'at all'}; it has: {have}")
    title = Path(folder).resolve().name + (f":{found[0]}" if run.is_training else "")
    return Evaluation(title, run.evaluations[found[0]], run.instances, None if run.is_training else run.path)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Rows of a JSONL file, none where it is missing; a last line that was cut off is left out.

    Raises:
        UserError: a line before the last is no JSON object, or the file is unreadable.
    """
    lines = _text(path).split("\n")
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            if number == len(lines):
                break
            raise UserError(f"{path}:{number}: no JSON; remove the line, or the file, and run again") from None
    return rows


def read_records(path: Path) -> tuple[EpisodeRecord, ...]:
    """Records of an episodes file, none where it is missing; a last line that was cut off is left out.

    Raises:
        UserError: a row before the last is no episode record, or the file is unreadable.
    """
    records = []
    for number, row in enumerate(read_rows(path), start=1):
        try:
            records.append(record_from_row(row))
        except ValidationError as error:
            reason = str(error).splitlines()[0]
            raise UserError(f"{path}: row {number} is no episode record ({reason})") from None
    return tuple(records)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {path}: {error}") from None
