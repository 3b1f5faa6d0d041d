"""Programs of a benchmark from where it is published on the Hugging Face hub, through ``datasets``."""

from __future__ import annotations

from dataclasses import dataclass

from verulaw_rl.errors import UserError


@dataclass(frozen=True, slots=True)
class HubDataset:
    """A published data set, and its columns that matter."""

    name: str
    split: str
    file: str
    """Column with the name of a program's file."""
    program: str
    given: str
    """Column with the published stripped form."""


@dataclass(frozen=True, slots=True)
class HubProgram:
    """One row."""

    name: str
    text: str
    given: str


def hub_programs(dataset: HubDataset, name: str | None = None) -> list[HubProgram]:
    """The programs, by name.

    Args:
        dataset: what is published.
        name: another data set of the same columns, or a local folder that holds a copy.

    Raises:
        UserError: it cannot be had, or has other columns.
    """
    from datasets import load_dataset

    wanted = name or dataset.name
    try:
        rows = load_dataset(wanted, split=dataset.split)
    except Exception as error:  # no network, no such data set, a damaged copy
        reason = " ".join(str(error).split())[:300]
        raise UserError(f"cannot load {wanted} with datasets ({type(error).__name__}: {reason})") from error
    columns = (dataset.file, dataset.program, dataset.given)
    missing = [c for c in columns if c not in rows.column_names]
    if missing:
        raise UserError(f"{wanted} has no column {', '.join(missing)}; its columns: {', '.join(rows.column_names)}")
    programs = [HubProgram(row[columns[0]].rpartition(".")[0], row[columns[1]], row[columns[2]]) for row in rows]
    return sorted(programs, key=lambda program: program.name)
