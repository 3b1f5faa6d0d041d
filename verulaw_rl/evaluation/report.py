"""One HTML page that tells what runs and evaluations came to, with every episode of them.

The page needs no network. Its figures are plain HTML, its episodes are opened by a script (``viewer``); it reads in
dark and in light. ``write_report`` is called at the end of a run and by ``verulaw-rl report``; it says what is
unfinished rather than failing on it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verulaw_rl.evaluation.alarm import Alarm, alarm, alarm_of_rows, counts_of
from verulaw_rl.evaluation.compare import Comparison, compare, difference_words, differences, trend_words
from verulaw_rl.evaluation.curves import training_plots
from verulaw_rl.evaluation.metrics import Summary, number, percent, summarise, values
from verulaw_rl.evaluation.official import side_by_side_of
from verulaw_rl.evaluation.outcome import outcome_of, tool_name
from verulaw_rl.evaluation.pages import for_script, render
from verulaw_rl.evaluation.plots import Line, Plot, draw
from verulaw_rl.evaluation.run_folder import Evaluation, RunFolder, read_checkpoints, read_run_folder
from verulaw_rl.evaluation.stability import stability_of
from verulaw_rl.evaluation.statistics import Estimate, PairedDifference, paired_difference
from verulaw_rl.evaluation.viewer import viewer_data

COLUMNS = {"evaluation": "result", "before": "before", "after": "after"}
DIVERGENCE = 0.1
"""Difference between verified and verified-with-probes that a report warns of."""


def write_report(*folders: Path, out: Path | None = None, allow_different: bool = False) -> Path:
    """Write the page and return its path.

    Args:
        folders: of runs or evaluations.
        out: the page; ``report.html`` in the folder when absent, which takes one folder.
        allow_different: compare evaluations although their suites or verifiers differ.

    Raises:
        UserError: a folder is none of a run, or a file in it is damaged.
    """
    runs = [read_run_folder(folder) for folder in folders]
    path = out or folders[0] / "report.html"
    path.write_text(render("verulaw_rl.evaluation", "report.html", page(runs, allow_different)), encoding="utf-8")
    return path


def page(runs: Sequence[RunFolder], allow_different: bool = False) -> dict[str, Any]:
    """The values of the template."""
    columns = _columns(runs)
    summaries = {name: summarise([outcome_of(r, e.instances) for r in e.records]) for name, e in columns.items()}
    first, alone = runs[0], len(runs) == 1
    difference = verified_difference(first) if alone else None
    warnings, comparison = _compared(runs, columns, allow_different)
    warnings = [text for run in runs for text in _warnings(run, columns, summaries, alone)] + warnings
    viewer = viewer_data(list(columns.values()))
    return {
        "title": " · ".join(_title(run) for run in runs),
        "status": _status(first) if alone else f"{len(runs)} runs",
        "facts": _facts(first, summaries) if alone else [],
        "warnings": list(dict.fromkeys(warnings)),
        "headline": _headline(summaries, difference),
        "table": _table(summaries),
        "comparison": _comparison(comparison),
        "reasons": _reasons(summaries),
        "audits": _audits(summaries),
        "stability": [(_title(run), found) for run in runs if (found := stability_of(run))],
        "official": [(_title(run), sides) for run in runs if (sides := side_by_side_of(run))],
        "percent": percent,
        "plots": [draw(plot) for plot in _plots(runs, summaries)],
        "groups": _groups(summaries),
        "viewer": viewer if viewer.index["episodes"] else None,
        "index": for_script(viewer.index),
        "reproduce": "\n".join(_reproduce(run) for run in runs),
        "configs": [(_title(run), run.config_text) for run in runs if run.config_text],
        "versions": [
            (f"{_title(run)}: {k}" if not alone else k, v if isinstance(v, str) else json.dumps(v))
            for run in runs
            for k, v in run.versions.items()
        ],
    }


def _title(run: RunFolder) -> str:
    folder = run.path.resolve().name
    name = str(run.config.get("name") or folder)
    return folder if name == "evaluation" else name


def _columns(runs: Sequence[RunFolder]) -> dict[str, Evaluation]:
    """Evaluations by the heading under which they are shown."""
    out: dict[str, Evaluation] = {}
    for run in runs:
        for name, records in run.evaluations.items():
            part = f", {name}" if run.is_training else ""
            heading = COLUMNS[name] if len(runs) == 1 else f"{run.path.resolve().name}{part}"
            while heading in out:
                heading += "′"
            out[heading] = Evaluation(heading, records, run.instances)
    return out


def _warnings(run: RunFolder, columns: dict[str, Evaluation], summaries: dict[str, Summary], alone: bool) -> list[str]:
    own = {h: summaries[h] for h, e in columns.items() if e.instances is run.instances}
    named = tuple(f"{heading}: " for heading in own)
    return [text if alone or text.startswith(named) else f"{_title(run)}: {text}" for text in warnings_of(run, own)]


def _compared(
    runs: Sequence[RunFolder], columns: dict[str, Evaluation], allow_different: bool
) -> tuple[list[str], Comparison | None]:
    """What differs between the evaluations, and their comparison unless that forbids it."""
    evaluations = [e for e in columns.values() if e.records]
    if len(evaluations) < 2 or len(runs) < 2:
        return [], None
    why = differences(evaluations)
    if why and not allow_different:
        return [f"{'; '.join(why)}: differences are not shown (--allow-different shows them)."], None
    comparison = compare(evaluations)
    return [f"{text}: differences are not comparable." for text in why], comparison if comparison.instances else None


def _comparison(comparison: Comparison | None) -> dict[str, Any] | None:
    if comparison is None:
        return None
    several = len(comparison.names) > 2
    rows = [
        {
            "label": f.label,
            "cells": [difference_words(d, f.is_rate) for d in f.differences] + ([trend_words(f)] if several else []),
        }
        for f in comparison.figures
    ]
    columns = [f"{name} minus {comparison.names[0]}" for name in comparison.names[1:]]
    return {"columns": columns + (["trend per step"] if several else []), "rows": rows, "n": comparison.instances}


def _reasons(summaries: dict[str, Summary]) -> dict[str, Any]:
    names = dict.fromkeys(reason for s in summaries.values() for reason in s.end_reasons)
    rows = [{"label": n, "cells": [str(s.end_reasons.get(n, 0)) for s in summaries.values()]} for n in names]
    return {"columns": list(summaries), "rows": rows}


def _audits(summaries: dict[str, Summary]) -> dict[str, Any]:
    found = [{f.construct: f for f in s.audit_failures} for s in summaries.values()]
    names = dict.fromkeys(name for own in found for name in own)
    rows = [
        {
            "label": name,
            "cells": [f"{own[name].submissions} ({own[name].episodes})" if name in own else "0" for own in found],
        }
        for name in names
    ]
    of = [f"{heading}, of {s.submissions} ({s.episodes})" for heading, s in summaries.items()]
    return {"columns": of, "rows": rows}


def _heldout(run: RunFolder) -> list[Plot]:
    """Held-out rates of a training run's checkpoints, with their intervals."""
    checkpoints = read_checkpoints(run.path) if run.is_training else []
    lines = []
    for name, label in (("verified", "verified"), ("verified_and_probes", "every probe holds")):
        points = [
            (float(update), summarise([outcome_of(r, e.instances) for r in e.records]).get(name))
            for update, e in checkpoints
        ]
        points = [(x, e) for x, e in points if e.value is not None]
        x, y = [x for x, _ in points], [e.value or 0.0 for _, e in points]
        lines.append(Line(label, x, y, [e.low or 0.0 for _, e in points], [e.high or 0.0 for _, e in points]))
    return [Plot("Held-out evaluation, 95% intervals", tuple(lines), share=True)] if len(lines[0].x) > 2 else []


def _plots(runs: Sequence[RunFolder], summaries: dict[str, Summary]) -> list[Plot]:
    plots = [plot for run in runs for plot in (*_heldout(run), *training_plots(run.metrics))]
    estimates = [s.get("verified") for s in summaries.values()]
    if len(runs) > 2 and all(e.value is not None and e.low is not None and e.high is not None for e in estimates):
        x = list(range(1, len(estimates) + 1))
        low, high = [e.low or 0.0 for e in estimates], [e.high or 0.0 for e in estimates]
        line = Line("verified", x, [e.value or 0.0 for e in estimates], low, high)
        plots.insert(0, Plot("Verified, run by run", (line,), x_label="run", share=True))
    return plots


def verified_difference(run: RunFolder, name: str = "verified") -> PairedDifference | None:
    """After minus before of a rate, ``None`` unless the folder holds both."""
    before, after = run.evaluations.get("before"), run.evaluations.get("after")
    if not (before and after):
        return None
    first, second = ([outcome_of(r, run.instances) for r in records] for records in (before, after))
    programs = {o.instance: o.program for o in first}
    return paired_difference(values(first, name), values(second, name), programs)


def warnings_of(run: RunFolder, summaries: dict[str, Summary]) -> list[str]:
    """What a reader must know before believing the numbers."""
    out = []
    tools = {tool for summary in summaries.values() for tool in summary.tools}
    if len(tools) > 1:
        out.append(
            f"Verdicts of different tools are mixed ({', '.join(sorted(tools))}): rates across them are not comparable."
        )
    built = {tool_name(instance.tool) for instance in run.instances.values()}
    if tools and built - tools:
        out.append(
            f"The suite was built under {', '.join(sorted(built))} but the verdicts are of {', '.join(sorted(tools))}: "
            "a reference may no longer verify; rebuild the suite, or check it with `verulaw-rl validate`."
        )
    for heading, summary in summaries.items():
        name = COLUMNS.get(heading, heading)
        if summary.unscorable:
            out.append(
                f"{name}: {summary.unscorable} of {summary.episodes} episodes could not be scored because the "
                "verifier or the machine failed; they are in no rate."
            )
        verified, proved = summary.get("verified").value, summary.get("verified_and_probes").value
        if verified is not None and proved is not None and verified - proved >= DIVERGENCE:
            out.append(
                f"{name}: {verified - proved:.0%} of the episodes verify without proving every hidden probe; "
                "read some of them before trusting the verified rate."
            )
    out += [f"{where}: {rung}." for where, rung in _alarms(run)]
    if run.versions.get("sandbox") == "none":
        out.append("Programs ran without a sandbox: namespaces were not available on that machine.")
    return out


def _alarms(run: RunFolder) -> list[tuple[str, Alarm]]:
    """Where verified rose and the hidden probes did not: during training, and from before it to after it."""
    before, after = (
        counts_of([outcome_of(r, run.instances) for r in run.evaluations.get(when, ())]) for when in ("before", "after")
    )
    found = {"training episodes": alarm_of_rows(run.metrics), "held-out episodes": alarm(before, after)}
    return [(where, rung) for where, rung in found.items() if rung is not None]


def _status(run: RunFolder) -> str:
    kind = "Training run" if run.is_training else "Evaluation"
    if not run.is_training:
        return kind
    updates = f"{run.updates_done} of {run.updates_wanted} updates"
    if "after" not in run.evaluations:
        return f"{kind}, unfinished: {updates}. It continues with: verulaw-rl train --resume {run.path}"
    return f"{kind}: {updates}"


def _facts(run: RunFolder, summaries: dict[str, Summary]) -> list[tuple[str, str]]:
    records = next((rs for rs in run.evaluations.values() if rs), ())
    facts = []
    if records:
        facts.append(("environment", Path(records[0].environment).stem))
        facts.append(("reward", records[0].reward_name))
        policy = run.config.get("policy") or records[0].policy
        facts.append(("policy", policy.get("type", "") if isinstance(policy, dict) else str(policy)))
    tools = sorted({tool for summary in summaries.values() for tool in summary.tools})
    if tools:
        facts.append(("verifier", ", ".join(tools)))
    if run.instances:
        facts.append(("suite", next(iter(run.instances.values())).suite))
    if "seed" in run.config:
        facts.append(("seed", str(run.config["seed"])))
    return facts


def _headline(summaries: dict[str, Summary], difference: PairedDifference | None) -> list[dict[str, Any]]:
    labels = {"result": "Verified", "before": "Held-out verified, before training"}
    labels["after"] = "Held-out verified, after training"
    cards = [_card(labels.get(name, f"Verified: {name}"), s.get("verified")) for name, s in summaries.items()]
    if list(summaries) == ["result"]:
        cards.append(_card("Verified, and every probe holds", summaries["result"].get("verified_and_probes")))
    if difference is not None:
        cards.append(_difference_card(difference))
    return cards


def _card(label: str, estimate: Estimate) -> dict[str, Any]:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        value = "none" if estimate.value is None else f"{estimate.value:.1%}"
        return {"label": label, "value": value, "bar": None, "note": f"{estimate.n} instances"}
    bar = {
        "low": f"{100 * estimate.low:.2f}",
        "width": f"{100 * (estimate.high - estimate.low):.2f}",
        "point": f"{100 * estimate.value:.2f}",
    }
    note = f"95%: {estimate.low:.1%} to {estimate.high:.1%}, {estimate.n} instances"
    return {"label": label, "value": f"{estimate.value:.1%}", "bar": bar, "note": note}


def _difference_card(difference: PairedDifference) -> dict[str, Any]:
    value, low, high = (difference.difference.value, difference.difference.low, difference.difference.high)
    if value is None or low is None or high is None or difference.p_value is None:
        return {"label": "Difference", "value": "none", "bar": None, "note": "nothing can be compared"}
    note = (
        f"95%: {_signed(low)} to {_signed(high)}; {difference.improved} improved, {difference.regressed} regressed of "
        f"{difference.difference.n}; p = {difference.p_value:.2g} (exact McNemar)"
    )
    return {"label": "Difference, paired", "value": f"{_signed(value)} points", "bar": None, "note": note}


def _signed(share: float) -> str:
    """A difference of rates in percentage points."""
    return f"{100 * share:+.1f}".replace("-", "−")


def _table(summaries: dict[str, Summary]) -> dict[str, Any]:
    names = {m.name: m for s in summaries.values() for m in s.metrics}
    rows = [
        {
            "label": metric.label,
            "cells": [
                _cell(next((m.estimate for m in s.metrics if m.name == name), None), metric.is_rate)
                for s in summaries.values()
            ],
        }
        for name, metric in names.items()
    ]
    for label, counts in (
        ("episodes", [s.episodes for s in summaries.values()]),
        ("episodes that ran out of the verifier's limits", [s.timeouts for s in summaries.values()]),
        ("episodes that could not be scored", [s.unscorable for s in summaries.values()]),
    ):
        rows.append({"label": label, "cells": [{"value": str(n), "interval": ""} for n in counts]})
    return {"columns": list(summaries), "rows": rows}


def _groups(summaries: dict[str, Summary]) -> list[dict[str, Any]]:
    groups = []
    for title, attribute in (
        ("Verified by family", "by_family"),
        ("Verified by difficulty", "by_difficulty"),
        ("Obligations discharged by category", "by_category"),
    ):
        tables = [getattr(summary, attribute) for summary in summaries.values()]
        keys = sorted({key for table in tables for key in table})
        if len(keys) > 1:
            rows = [{"label": str(key), "cells": [_cell(table.get(key), True) for table in tables]} for key in keys]
            groups.append({"name": title, "columns": list(summaries), "rows": rows})
    return groups


def _cell(estimate: Estimate | None, is_rate: bool) -> dict[str, str]:
    if estimate is None or estimate.value is None:
        return {"value": "–", "interval": ""}
    value, _, interval = (percent if is_rate else number)(estimate).partition(" (")
    return {"value": value, "interval": interval.removesuffix(")")}


def _reproduce(run: RunFolder) -> str:
    config = run.path / "config.yaml"
    if run.is_training:
        return f"verulaw-rl train {config}"
    policy, suite = run.config.get("policy", "MODEL"), run.path / "suite.jsonl"
    return f"verulaw-rl evaluate --policy {policy} --suite {suite} --config {config} --out NEW_FOLDER"
