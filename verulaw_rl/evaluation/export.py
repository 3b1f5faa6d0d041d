"""Evaluations as tables for other programs: a row per episode (CSV, Parquet), and the figures (LaTeX, Markdown). Pure.

``verulaw-rl export`` writes them. LaTeX needs nothing but the ``booktabs`` package.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verulaw_rl.evaluation.metrics import Summary, number, percent, summarise
from verulaw_rl.evaluation.official import LABEL, side_by_side_in
from verulaw_rl.evaluation.outcome import outcome_of
from verulaw_rl.evaluation.run_folder import Evaluation
from verulaw_rl.evaluation.statistics import Estimate
from verulaw_rl.languages.base import Category

_LATEX = {"&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}", "~": r"\~{}"}


def episode_rows(evaluations: Sequence[Evaluation]) -> list[dict[str, Any]]:
    """One flat row per episode, all with the same columns."""
    rows = []
    for evaluation in evaluations:
        for record in evaluation.records:
            o = outcome_of(record, evaluation.instances)
            instance = evaluation.instances.get(record.instance)
            row: dict[str, Any] = {
                "run": evaluation.name,
                "policy": record.policy,
                "policy_version": record.policy_version,
                "suite": instance.suite if instance else "",
                "instance": o.instance,
                "instance_hash": record.instance_hash,
                "program": o.program,
                "task": record.task.value,
                "family": o.family,
                "difficulty": o.difficulty,
                "sample": int(record.sampling.get("sample", 0)),
                "seed": record.seed,
                "temperature": record.sampling.get("temperature"),
                "reward": o.reward,
                "scorable": not o.unscorable,
                "verified": o.verified,
                "verified_direct": o.direct,
                "verified_and_probes": o.verified_and_probes,
                "first_verified": o.first_verified,
                "timeout": o.timeout,
                "specification_changed": o.specification_changed,
                "proof_escape": o.proof_escape,
                "findings": "; ".join(sorted({f for found in o.findings for f in found})),
                "obligation_ratio": o.obligation_ratio,
                "turns": o.turns,
                "invalid_turns": o.invalid_turns,
                "submissions": o.submissions,
                "revisions": o.revisions,
                "end_reason": record.end_reason,
                "sampled_tokens": o.sampled_tokens,
                "tool": o.tool,
            }
            rows.append(row | {f"discharged_{c.value}": o.obligations.get(c.value) for c in Category})
    return rows


def to_csv(rows: Sequence[dict[str, Any]]) -> str:
    """Rows as CSV with a heading; nothing is an empty cell."""
    out = io.StringIO()
    if rows:
        writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return out.getvalue()


def write_parquet(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Rows as a Parquet file, with ``pyarrow`` (it comes with the extra ``train``)."""
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(rows)), path)


def to_latex(evaluations: Sequence[Evaluation]) -> str:
    """The table of figures, one column per evaluation, with 95 % intervals."""
    heading, rows, tools = _figures(evaluations)
    lines = [r"\begin{tabular}{l" + "r" * len(evaluations) + "}", r"\toprule"]
    lines += [" & ".join(map(_tex, heading)) + r" \\", r"\midrule"]
    lines += [" & ".join(map(_tex, row)) + r" \\" for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", f"% verifier: {tools}", ""])


def to_markdown(evaluations: Sequence[Evaluation]) -> str:
    """The same table in Markdown."""
    heading, rows, tools = _figures(evaluations)
    lines = ["| " + " | ".join(heading) + " |", "|---" * len(heading) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([*lines, "", f"Verifier: {tools}. Intervals are 95 %; n counts programs.", ""])


def _figures(evaluations: Sequence[Evaluation]) -> tuple[list[str], list[list[str]], str]:
    """Heading, rows and verifiers of the table of figures."""
    summaries = [summarise([outcome_of(r, e.instances) for r in e.records]) for e in evaluations]
    metrics = {m.name: m for s in summaries for m in s.metrics}
    rows = [[m.label, *(_words(s, name, m.is_rate) for s in summaries)] for name, m in metrics.items()]
    official = [_official(e) for e in evaluations]
    if any(official):
        rows.append([LABEL, *("--" if o is None else percent(o) for o in official)])
    rows.append(["episodes", *(str(s.episodes) for s in summaries)])
    rows.append(["could not be scored", *(str(s.unscorable) for s in summaries)])
    tools = ", ".join(sorted({tool for s in summaries for tool in s.tools}))
    return ["", *(e.name for e in evaluations)], rows, tools


def _official(evaluation: Evaluation) -> Estimate | None:
    if evaluation.folder is None:
        return None
    sides = side_by_side_in(evaluation.folder, evaluation.records, evaluation.instances)
    return sides.official if sides else None


def _words(summary: Summary, name: str, is_rate: bool) -> str:
    estimate = next((m.estimate for m in summary.metrics if m.name == name), None)
    return "--" if estimate is None else (percent if is_rate else number)(estimate)


def _tex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)
