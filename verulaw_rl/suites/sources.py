"""Where the programs of a named suite come from."""

from __future__ import annotations

from pathlib import Path

from verulaw_rl.errors import UserError
from verulaw_rl.suites.build import SourceProgram, read_programs
from verulaw_rl.suites.seed import seed_programs

BENCHMARKS = {"dafnybench": ("dafny", "ground_truth")}
"""Benchmark suites: language, and the folder of verified programs below the root that the user names."""


def suite_programs(
    suite: str | None, folder: Path | None, suffix: str, root: Path | None
) -> tuple[str, list[SourceProgram], list[tuple[str, str]]]:
    """Name of the suite, its programs, and files that could not be read with the reason.

    Args:
        suite: ``seed``, a benchmark's name, or ``None`` with a folder.
        folder: folder of verified programs, when no suite is named.
        suffix: of the language's files.
        root: where a benchmark was downloaded to.

    Raises:
        UserError: neither or both are named, the suite is unknown, or its root is missing.
    """
    if (suite is None) == (folder is None):
        raise UserError("name either --suite or --from DIR")
    if folder is not None:
        programs, unreadable = read_programs(folder, suffix)
        return folder.resolve().name, programs, unreadable
    if suite == "seed":
        return "seed", [SourceProgram(p.name, p.text, p.family, p.difficulty) for p in seed_programs()], []
    if suite not in BENCHMARKS:
        raise UserError(f"unknown suite {suite!r}; known: seed, {', '.join(BENCHMARKS)}; or give --from DIR")
    if root is None:
        raise UserError(f"--suite {suite} needs --root DIR, the folder that it was downloaded to")
    below = root / BENCHMARKS[suite][1]
    programs, unreadable = read_programs(below if below.is_dir() else root, suffix)
    return suite, programs, unreadable
