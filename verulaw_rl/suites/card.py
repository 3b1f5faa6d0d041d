"""The card of a suite: what it is, where it is from, and what was left out and why.

Markdown under a YAML head, as dataset cards on the Hugging Face hub are, so that a suite can be published with it.
``verulaw-rl build`` writes it beside the suite. The same build gives the same card.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from verulaw_rl.suites.instance import Instance
from verulaw_rl.suites.journal import Rejection


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the programs of a suite are from."""

    title: str
    source: str = ""
    """Address of what was published."""
    licence: str = ""
    """SPDX identifier; nothing where the builder does not know it."""


def card_path(suite: Path) -> Path:
    """Where the card of a suite file is."""
    return suite.with_name(f"{suite.stem}.card.md")


def make_card(
    name: str,
    origin: Origin,
    instances: Sequence[Instance],
    rejected: Sequence[Rejection],
    *,
    programs: int,
    built_with: dict[str, Any],
    evaluation_only: bool = False,
) -> str:
    """The card's text.

    Args:
        name: of the suite, its version at the end.
        origin: where its programs are from.
        instances: what it holds.
        rejected: programs left out, for each task.
        programs: that were looked at.
        built_with: versions and settings that the build depends on.
        evaluation_only: whether it may not be trained on.
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    reasons: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for instance in instances:
        counts[instance.task.value][instance.split] += 1
    for rejection in rejected:
        reasons[rejection.task.value][rejection.reason] += 1
    tools = sorted({f"{i.tool.name} {i.tool.version} ({i.tool.solver})" for i in instances})
    digest = hashlib.sha256("\n".join(sorted(i.content_hash for i in instances)).encode()).hexdigest()
    head = {
        "pretty_name": name,
        "license": origin.licence or "unknown",
        "source": origin.source,
        "languages": sorted({i.language for i in instances}),
        "verifiers": tools,
        "programs": programs,
        "instances": {task: dict(sorted(own.items())) for task, own in sorted(counts.items())},
        "left_out": {task: dict(own.most_common()) for task, own in sorted(reasons.items())},
        "evaluation_only": evaluation_only,
        "sha256": digest,
        "built_with": built_with,
    }
    lines = ["---", yaml.safe_dump(head, sort_keys=False, allow_unicode=True).rstrip(), "---", "", f"# {name}", ""]
    lines += [f"{origin.title}. Source: {origin.source or 'not named'}. Licence: {origin.licence or 'not named'}.", ""]
    if evaluation_only:
        lines += ["Only to be evaluated on: `verulaw-rl train` refuses it, and it is not split.", ""]
    lines += [f"{programs} programs were looked at.", "", "| task | instances | left out |", "|---|---|---|"]
    for task in sorted(counts.keys() | reasons.keys()):
        kept = ", ".join(f"{n} {split}" for split, n in sorted(counts[task].items()))
        lines.append(f"| {task} | {counts[task].total()} ({kept or 'none'}) | {reasons[task].total()} |")
    lines += ["", "Obligations, probes and exclusions hold for the verifiers named above; another may differ."]
    for task, own in sorted(reasons.items()):
        lines += ["", f"## Left out: {task}", ""]
        for reason, n in own.most_common():
            lines += [f"### {reason} ({n})", ""]
            lines += [
                f"- {_one_line(r.program)}" + (f": {_one_line(r.detail)}" if r.detail else "")
                for r in rejected
                if (r.task.value, r.reason) == (task, reason)
            ] + [""]
    return "\n".join(lines).rstrip() + "\n"


def read_card(path: Path) -> dict[str, Any]:
    """The YAML head of a card that :func:`make_card` made."""
    _, head, _ = path.read_text(encoding="utf-8").split("---\n", 2)
    data: dict[str, Any] = yaml.safe_load(head)
    return data


def _one_line(text: str) -> str:
    return " ".join(text.split())
