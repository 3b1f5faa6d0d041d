"""What each language can do, and on what evidence: one table, kept as data by the languages themselves.

``docs/languages.md`` holds :func:`table`, and a test holds the page to it and the entries to what is there
(an adapter, a bundled suite, a benchmark).
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verulaw_rl.languages.base import Language


class Standing(StrEnum):
    """On what evidence a capability is claimed."""

    LIVE = "live"
    """Done with the real tool, or where no tool is needed on whole public programs, and tested so."""
    RECORDED = "recorded"
    """Tested on recorded output of the tool, or on public programs whose verification could not be repeated."""
    UNTRIED = "untried"
    """Written and tested for form only: nothing here could run it."""


class Capability(StrEnum):
    """What is asked of a language; the value is the row of the table."""

    REGIONS = "specification, annotation and executable regions, byte for byte"
    CLAUSES = "canonical clauses, loops and declarations"
    STRIP = "given programs: annotations or bodies stripped"
    INSERTIONS = "hand in line insertions or the whole program, in tags or tool calls"
    AUDIT = "integrity audit, with the recorded cheats and honest edits"
    VERIFIER = "verifier: verdicts, categories, all errors"
    WARM = "verifier kept warm between programs"
    CHECKS = "isolated checks: clauses apart, hidden probes, vacuity"
    TERMINATION = "termination as an obligation"
    RUN = "run: execute a program in the sandbox"
    PROPOSALS = "invariants from templates, for the model-free specialist"
    SEED = "bundled seed suite"
    BENCHMARK = "public benchmark built into both task forms"
    EPISODES = "environments, prompts, scoring and evaluation"


def table(languages: Iterable[Language]) -> str:
    """The table in Markdown: a row a capability, a column a language."""
    columns = list(languages)
    rows = [["capability", *(language.name for language in columns)], ["---"] * (len(columns) + 1)]
    rows += [[c.value, *(language.capabilities[c].value for language in columns)] for c in Capability]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n"
