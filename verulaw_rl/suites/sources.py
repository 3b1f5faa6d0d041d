"""Where the programs of a named suite come from, and which suites may not be trained on."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from verulaw_rl.errors import UserError
from verulaw_rl.languages.registry import get_language, language_names
from verulaw_rl.suites.build import SourceProgram, read_programs
from verulaw_rl.suites.card import Origin
from verulaw_rl.suites.hub import HubDataset, hub_programs
from verulaw_rl.suites.seed import seed_programs
from verulaw_rl.suites.swe_proof import files_of, read_issues

_VERSION = re.compile(r"(-published)?-v\d+$")


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A public collection of verified programs that users download themselves."""

    language: str
    folder: str
    """Where its programs are below the root that the user names; the root itself where that is not there."""
    origin: Origin
    evaluation_only: bool = False
    """Never split and never trained on: what is learned elsewhere is measured on it."""
    between: tuple[str, str] = ("", "")
    """Texts that end what stands before and begin what stands behind the program in each file."""
    version: int = 1
    """Of what we make of it, at the end of the suite's name: another when the same programs give other instances."""
    given: tuple[str, str] = ("", "")
    """Folder of the published stripped programs below the root, and what their names have at the end."""
    hub: HubDataset | None = None
    """Where it is published on the Hugging Face hub."""
    read: Callable[[Path], list[SourceProgram]] | None = None
    """Gives the programs below the root, where they are more than files in a folder; their family is a repository, and
    no repository but the largest is on both sides of the split."""

    @property
    def by_repository(self) -> bool:
        """Whether the suite is split by repository."""
        return self.read is not None


def _models(root: Path) -> list[SourceProgram]:
    """Reference models of a SWE-Proof folder."""
    issues = read_issues(root)
    texts = {i.id: files_of(root, i).model.read_text(encoding="utf-8") for i in issues}
    return [SourceProgram(i.id, texts[i.id], family=i.repository) for i in issues]


BENCHMARKS = {
    "dafnybench": Benchmark(
        "dafny",
        "ground_truth",
        origin=Origin("DafnyBench (Loughridge et al., 2024)", "https://github.com/sun-wendy/DafnyBench", "Apache-2.0"),
        given=("hints_removed", "_no_hints"),
        hub=HubDataset("wendy-sun/DafnyBench", "test", "test_file", "ground_truth", "hints_removed"),
    ),
    "humaneval-dafny": Benchmark(
        "dafny",
        ".",
        evaluation_only=True,
        origin=Origin("HumanEval in Dafny", "https://github.com/JetBrains-Research/HumanEval-Dafny", "Apache-2.0"),
    ),
    "humaneval-nagini": Benchmark(
        "nagini",
        ".",
        evaluation_only=True,
        origin=Origin("HumanEval in Nagini", "https://github.com/JetBrains-Research/HumanEval-Nagini", "Apache-2.0"),
    ),
    "humaneval-verus": Benchmark(
        "verus",
        ".",
        evaluation_only=True,
        between=("### VERUS BEGIN\n*/\n", "/*\n### VERUS END"),
        origin=Origin("HumanEval in Verus", "https://github.com/secure-foundations/human-eval-verus", "MIT"),
    ),
    "swe-proof": Benchmark(
        "nagini", "models", origin=Origin("SWE-Proof, in the format of docs/suites.md"), read=_models
    ),
}
"""Benchmark suites by name."""


def evaluation_only(suite: str) -> bool:
    """Whether a suite of that name, with or without its version, may only be evaluated on."""
    benchmark = BENCHMARKS.get(_VERSION.sub("", suite))
    return benchmark is not None and benchmark.evaluation_only


def by_repository(suite: str | None) -> bool:
    """Whether a benchmark is split by repository."""
    return suite in BENCHMARKS and BENCHMARKS[suite].by_repository


def origin_of(suite: str | None, folder: Path | None) -> Origin:
    """Where the programs of a build are from, for its card."""
    if suite in BENCHMARKS:
        return BENCHMARKS[suite].origin
    return Origin(f"Programs of the folder {folder.resolve().name}" if folder else "Seed programs of verulaw_rl")


def seed_name(language: str) -> str:
    """Name of the seed suite of a language: ``seed`` alone is Dafny's."""
    return "seed" if language == "dafny" else f"seed-{language}"


def suite_programs(
    suite: str | None,
    folder: Path | None,
    suffix: str,
    root: Path | None,
    *,
    published_given: bool = False,
    hub: bool = False,
) -> tuple[str, list[SourceProgram], list[tuple[str, str]]]:
    """Name of the suite, its programs, and files that could not be read with the reason.

    Args:
        suite: ``seed`` (of the suffix's language), a benchmark's name, or ``None`` with a folder.
        folder: folder of verified programs, when no suite is named.
        suffix: of the language's files.
        root: where a benchmark was downloaded to, or with ``hub`` a local copy of its data set.
        published_given: give annotation repair the stripped form that the benchmark publishes rather than ours.
        hub: load the benchmark with ``datasets``.

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
    if root is None and not hub:
        raise UserError(f"--suite {suite} needs --root DIR, the folder that it was downloaded to")
    if BENCHMARKS[suite].language != language:
        raise UserError(
            f"suite {suite!r} is of {BENCHMARKS[suite].language}: give --language {BENCHMARKS[suite].language}"
        )
    benchmark = BENCHMARKS[suite]
    if published_given and not benchmark.given[0]:
        raise UserError(f"suite {suite!r} publishes no stripped programs; leave --given out")
    if hub:
        if benchmark.hub is None:
            raise UserError(f"suite {suite!r} is not on the hub; give --root DIR, the folder that it was downloaded to")
        rows = hub_programs(benchmark.hub, str(root) if root else None)
        programs = [SourceProgram(r.name, r.text, given=r.given if published_given else "") for r in rows]
        return _versioned(suite, published_given), programs, []
    assert root is not None
    if benchmark.read is not None:
        return _versioned(suite, published_given), benchmark.read(root), []
    below = root / benchmark.folder
    programs, unreadable = read_programs(below if below.is_dir() else root, suffix)
    programs = [replace(p, text=_cut(p.text, *benchmark.between)) for p in programs]
    if published_given:
        programs, more = _with_given(programs, root, benchmark, suffix)
        unreadable += more
    return _versioned(suite, published_given), programs, unreadable


def _versioned(suite: str, published_given: bool) -> str:
    return f"{suite}{'-published' if published_given else ''}-v{BENCHMARKS[suite].version}"


def _with_given(
    programs: list[SourceProgram], root: Path, benchmark: Benchmark, suffix: str
) -> tuple[list[SourceProgram], list[tuple[str, str]]]:
    """The programs that have a published stripped form, with it; and the names of those that have none."""
    folder, end = benchmark.given
    stripped = {p.name.removesuffix(end): p.text for p in read_programs(root / folder, suffix)[0]}
    found = [replace(p, given=stripped[p.name]) for p in programs if p.name in stripped]
    return found, [(p.name, "no stripped form is published") for p in programs if p.name not in stripped]


def _cut(text: str, before: str, behind: str) -> str:
    text = text.partition(before)[2] or text if before else text
    return text.partition(behind)[0] if behind else text


def _language_of(suffix: str) -> str:
    return next(name for name in language_names() if get_language(name).suffix == suffix)
