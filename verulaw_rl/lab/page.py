"""The lab page: recorded episodes and the arithmetic of ``rewards/obligation.py`` in one HTML file.

The page needs no network. It holds the counts of every submission (:class:`~verulaw_rl.lab.arithmetic.Counts`) and
computes scores, rewards and advantages from them as ``rescoring`` does; ``templates/lab.js`` is that arithmetic, and a
test compares the two. ``verulaw-rl lab`` writes it. No other reward can be tuned there: ``rescore`` takes any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from verulaw_rl.episodes.record import EpisodeRecord, Turn
from verulaw_rl.errors import UserError
from verulaw_rl.evaluation.pages import for_script, render
from verulaw_rl.lab.arithmetic import counts_of, is_obligation_reward
from verulaw_rl.lab.choice import Choice
from verulaw_rl.lab.diff import is_of_given, numbered_diff
from verulaw_rl.lab.recorded import RecordedEpisode, read_records
from verulaw_rl.languages.base import Category
from verulaw_rl.suites.instance import Instance

EPISODES_SHOWN = 2000
"""In the page at most, unless more are asked for: it holds every turn's text."""


def write_page(
    path: Path,
    title: str,
    episodes: Sequence[RecordedEpisode],
    choice: Choice,
    instances: Mapping[str, Instance],
    limit: int = EPISODES_SHOWN,
) -> int:
    """Write the page and return how many episodes it holds.

    Args:
        path: the page.
        title: name of the run.
        episodes: what is scored; the latest whole groups where there are more than ``limit``.
        choice: where the sliders stand at first.
        instances: by content hash, for diffs against the given.
        limit: episodes at most.

    Raises:
        UserError: the reward is another than ``rewards/obligation.py``.
    """
    if not is_obligation_reward(choice.reward):
        raise UserError(
            f"the lab page only knows the arithmetic of rewards/obligation.py, not of {choice.reward.path}; "
            "compare other rewards with `verulaw-rl rescore`"
        )
    shown = latest_groups(episodes, limit)
    data = {
        "title": title,
        "total": len(episodes),
        "categories": [c.value for c in Category],
        "values": {key: value for key, value in choice.values.items() if isinstance(value, int | float)},
        "episodes": _episodes(shown, instances),
    }
    page = {"title": title, "data": for_script(data)}
    path.write_text(render("verulaw_rl.lab", "lab.html", page), encoding="utf-8")
    return len(shown)


def latest_groups(episodes: Sequence[RecordedEpisode], limit: int) -> list[RecordedEpisode]:
    """Episodes of the last groups that fit, in their order; of the last group alone where even that does not fit."""
    groups: dict[tuple[object, ...], list[RecordedEpisode]] = {}
    for episode in episodes:
        groups.setdefault(episode.group, []).append(episode)
    kept: list[list[RecordedEpisode]] = []
    for group in reversed(groups.values()):
        if kept and sum(map(len, kept)) + len(group) > limit:
            break
        kept.append(group)
    return [episode for group in reversed(kept) for episode in group]


def _episodes(shown: Sequence[RecordedEpisode], instances: Mapping[str, Instance]) -> list[dict[str, Any]]:
    rows: dict[Path, set[int]] = {}
    for episode in shown:
        rows.setdefault(episode.file, set()).add(episode.row)
    records = {file: read_records(file, numbers) for file, numbers in rows.items()}
    return [_episode(e, records[e.file][e.row], instances) for e in shown]


def _episode(episode: RecordedEpisode, record: EpisodeRecord, instances: Mapping[str, Instance]) -> dict[str, Any]:
    instance = instances.get(record.instance_hash)
    return {
        "place": episode.place,
        "instance": episode.instance,
        "group": " ".join(str(part) for part in episode.group[1:] if part not in (None, "")),
        "batch": " ".join(str(part) for part in episode.group[1:-1] if part not in (None, "")),
        "scale": episode.scale,
        "reward": record.reward,
        "wasted": sum(t.wasted for t in record.turns),
        "end": record.end_reason,
        "turns": [_turn(t, record, instance) for t in record.turns],
    }


def _turn(turn: Turn, record: EpisodeRecord, instance: Instance | None) -> dict[str, Any]:
    out: dict[str, Any] = {"action": turn.action or "", "text": turn.text, "observation": turn.observation}
    if turn.action == "submit":
        out["submitted"] = True
        if turn.assisted is not None:
            out["assisted"] = turn.assisted.total
            if turn.assisted_evidence is not None:
                out["assisted_counts"] = asdict(counts_of(turn.assisted_evidence))
    if turn.invalid is not None:
        out["invalid"] = True
    if turn.unchanged:
        out["unchanged"] = True
    if turn.evidence is not None:
        if turn.score is not None:
            out["counts"] = asdict(counts_of(turn.evidence))
        out["status"] = turn.evidence.status.value if turn.evidence.status else "not run"
        out["findings"] = [
            f"line {f.line}{' of the given' if is_of_given(f) else ''}: {f.message}. {f.advice}"
            for f in turn.evidence.findings
        ]
        out["messages"] = [f"line {m.line}: {m.message}" for m in turn.evidence.messages]
        out["open"] = [f"{r.id}: {r.reason}" for r in turn.evidence.results if not r.discharged]
    if turn.program is not None:
        given = instance.given if instance else turn.program
        kinds = {"same": " ", "add": "+", "del": "-"}
        out["diff"] = [
            kinds[x.kind] + f"{x.candidate or x.given:>4}  {x.text}" for x in numbered_diff(given, turn.program)
        ]
    return out
