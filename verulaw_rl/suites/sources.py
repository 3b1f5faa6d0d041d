"""Where the programs of a named suite come from, and which suites may not be trained on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from verulaw_rl.errors import UserError
from verulaw_rl.languages.registry import get_language, language_names
from verulaw_rl.suites.build import SourceProgram, read_programs
from verulaw_rl.suites.seed import seed_programs


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A public collection of verified programs that users download themselves."""

    language: str
    folder: str
    """Where its programs are below the root that the user names; the root itself where that is not there."""
    evaluation_only: bool = False
    """Never split and never trained on: what is learned elsewhere is measured on it."""


BENCHMARKS = {
    "dafnybench": Benchmark("dafny", "ground_truth"),
    "humaneval-nagini": Benchmark("nagini", ".", evaluation_only=True),
}
"""Benchmark suites by name."""


def evaluation_only(suite: str) -> bool:
    """Whether a suite of that name may only be evaluated on."""
    return suite in BENCHMARKS and BENCHMARKS[suite].evaluation_only


def seed_name(language: str) -> str:
    """Name of the seed suite of a language: ``seed`` alone is Dafny's."""
    return "seed" if language == "dafny" else f"seed-{language}"


def suite_programs(
    suite: str | None, folder: Path | None, suffix: str, root: Path | None
) -> tuple[str, list[SourceProgram], list[tuple[str, str]]]:
    """Name of the suite, its programs, and files that could not be read with the reason.

    Args:
        suite: ``seed`` (of the suffix's language), a benchmark's name, or ``None`` with a folder.
        folder: folder of verified programs, when no suite is named.
        suffix: of the language's files.
        root: where a benchmark was downloaded to.

    Raises:
        UserError: neither or both are named, the suite is unknown or of another language, or its root is missing.
    """
    if (suite is None) == (folder is None):
        raise UserError("name either --suite or --from DIR")
    if folder is not None:
        programs, unreadable = read_programs(folder, suffix)
        return folder.resolve().name, programs, unreadable
    language = _language_of(suffix)
    if suite in ("seed", seed_name(language)):
        seeds = [SourceProgram(p.name, p.text, p.family, p.difficulty) for p in seed_programs(language)]
        return seed_name(language), seeds, []
    if suite not in BENCHMARKS:
        raise UserError(f"unknown suite {suite!r}; known: seed, {', '.join(BENCHMARKS)}; or give --from DIR")
    if root is None:
        raise UserError(f"--suite {suite} needs --root DIR, the folder that it was downloaded to")
    if BENCHMARKS[suite].language != language:
        raise UserError(
            f"suite {suite!r} is of {BENCHMARKS[suite].language}: give --language {BENCHMARKS[suite].language}"
        )
    below = root / BENCHMARKS[suite].folder
    programs, unreadable = read_programs(below if below.is_dir() else root, suffix)
    return suite, programs, unreadable


def _language_of(suffix: str) -> str:
    return next(name for name in language_names() if get_language(name).suffix == suffix)
