"""The bundled seed programs: verified programs of our own that ship inside the package.

One program a file, ``seed/<language>/<family>/<name><suffix>``; the first line of each says how hard it
is. They are valid in all supported versions of their language, verify in seconds, hold no proof escape, and do
not verify without their annotations. Called by suite builders.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files

from verulaw_rl.errors import UserError
from verulaw_rl.languages.registry import get_language, language_names

_DIFFICULTY = re.compile(r"(?://|#) difficulty: ([123])\n")


@dataclass(frozen=True, slots=True)
class SeedProgram:
    """One bundled program."""

    name: str
    """``family/name``: unique within a language."""
    family: str
    difficulty: int
    """1 (one plain loop) to 3 (nested loops, lemmas, several facts that depend on each other)."""
    text: str


def seed_languages() -> tuple[str, ...]:
    """Languages that seed programs are bundled for, sorted."""
    folder = files("verulaw_rl.suites") / "seed"
    return tuple(sorted(f.name for f in folder.iterdir() if f.is_dir() and f.name in language_names()))


def seed_programs(language: str = "dafny") -> list[SeedProgram]:
    """The programs bundled for a language, by family and name.

    Raises:
        UserError: No programs are bundled for the language.
    """
    folder = files("verulaw_rl.suites") / "seed" / language
    if not folder.is_dir():
        known = ", ".join(seed_languages())
        raise UserError(f"no seed programs for the language {language!r}; there are some for: {known}")
    suffix = get_language(language).suffix
    programs = []
    for family in sorted((f for f in folder.iterdir() if f.is_dir()), key=lambda f: f.name):
        for file in sorted((f for f in family.iterdir() if f.name.endswith(suffix)), key=lambda f: f.name):
            text = file.read_text(encoding="utf-8")
            difficulty = _DIFFICULTY.match(text)
            if difficulty is None:
                raise UserError(
                    f"seed program {family.name}/{file.name}: the first line must be the comment 'difficulty: 1|2|3'"
                )
            name = f"{family.name}/{file.name.removesuffix(suffix)}"
            programs.append(SeedProgram(name, family.name, int(difficulty[1]), text))
    return programs
