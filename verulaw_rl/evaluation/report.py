"""One HTML page that tells what a run or an evaluation came to.

The page needs no network and no script, and reads in dark and in light. ``write_report`` is called at the end
of a run and by ``verulaw-rl report``; it says what is unfinished rather than failing on it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from verulaw_rl.evaluation.curves import training_plots
from verulaw_rl.evaluation.metrics import Summary, number, percent, summarise, values
from verulaw_rl.evaluation.outcome import outcome_of, tool_name
from verulaw_rl.evaluation.pages import render
from verulaw_rl.evaluation.plots import draw
from verulaw_rl.evaluation.run_folder import RunFolder, read_run_folder
from verulaw_rl.evaluation.samples import compared_samples, single_samples
from verulaw_rl.evaluation.statistics import Estimate, PairedDifference, paired_difference

COLUMNS = {"evaluation": "result", "before": "before", "after": "after"}
DIVERGENCE = 0.1
"""Difference between verified and verified-with-probes that a report warns of."""


def write_report(folder: Path) -> Path:
    """Write ``report.html`` into a run or evaluation folder and return its path.

    Raises:
        UserError: the folder is none of a run, or a file in it is damaged.
    """
    run = read_run_folder(folder)
    path = folder / "report.html"
    path.write_text(render("verulaw_rl.evaluation", "report.html", page(run)), encoding="utf-8")
    return path


def page(run: RunFolder) -> dict[str, Any]:
    """The values of the template."""
    summaries = {name: summarise([outcome_of(r, run.instances) for r in rs]) for name, rs in run.evaluations.items()}
    difference = verified_difference(run)
    before, after = run.evaluations.get("before"), run.evaluations.get("after")
    if before and after:
        samples = compared_samples(before, after, run.instances)
    else:
        samples = single_samples(next((rs for rs in run.evaluations.values() if rs), ()), run.instances)
    return {
        "title": str(run.config.get("name") or run.path.resolve().name),
        "status": _status(run),
        "facts": _facts(run, summaries),
        "warnings": warnings_of(run, summaries),
        "headline": _headline(summaries, difference),
        "table": _table(summaries, run),
        "plots": [draw(plot) for plot in training_plots(run.metrics)],
        "groups": _groups(summaries),
        "samples": samples,
        "reproduce": _reproduce(run),
        "config": run.config_text,
        "versions": [(k, v if isinstance(v, str) else json.dumps(v)) for k, v in run.versions.items()],
    }


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
    for name, summary in summaries.items():
        if summary.unscorable:
            out.append(
                f"{COLUMNS[name]}: {summary.unscorable} of {summary.episodes} episodes could not be scored because the "
                "verifier or the machine failed; they are in no rate."
            )
        verified, proved = summary.get("verified").value, summary.get("verified_and_probes").value
        if verified is not None and proved is not None and verified - proved >= DIVERGENCE:
            out.append(
                f"{COLUMNS[name]}: {verified - proved:.0%} of the episodes verify without proving every hidden probe; "
                "read some of them before trusting the verified rate."
            )
    if run.versions.get("sandbox") == "none":
        out.append("Programs ran without a sandbox: namespaces were not available on that machine.")
    return out


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
    cards = []
    for name, summary in summaries.items():
        label = "Verified" if name == "evaluation" else f"Held-out verified, {name} training"
        cards.append(_card(label, summary.get("verified")))
    if "after" not in summaries and "evaluation" in summaries:
        cards.append(_card("Verified, and every probe holds", summaries["evaluation"].get("verified_and_probes")))
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


def _table(summaries: dict[str, Summary], run: RunFolder) -> dict[str, Any]:
    if not summaries:
        return {"columns": [], "rows": []}
    columns = [COLUMNS[name] for name in summaries]
    names = [(m.name, m.label, m.is_rate) for m in next(iter(summaries.values())).metrics]
    rows = []
    for name, label, is_rate in names:
        cells = [
            _cell(next((m.estimate for m in s.metrics if m.name == name), None), is_rate) for s in summaries.values()
        ]
        rows.append({"label": label, "cells": cells})
    rows.append(
        {"label": "episodes", "cells": [{"value": str(s.episodes), "interval": ""} for s in summaries.values()]}
    )
    rows.append(
        {
            "label": "episodes that could not be scored",
            "cells": [{"value": str(s.unscorable), "interval": ""} for s in summaries.values()],
        }
    )
    return {"columns": columns, "rows": rows}


def _groups(summaries: dict[str, Summary]) -> list[dict[str, Any]]:
    groups = []
    for title, attribute in (("family", "by_family"), ("difficulty", "by_difficulty")):
        tables = [getattr(summary, attribute) for summary in summaries.values()]
        keys = sorted({key for table in tables for key in table})
        if len(keys) > 1:
            rows = [{"label": str(key), "cells": [_cell(table.get(key), True) for table in tables]} for key in keys]
            groups.append({"name": title, "columns": [COLUMNS[name] for name in summaries], "rows": rows})
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
