import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from verulaw_rl.cli.main import build_app
from verulaw_rl.episodes.record import EpisodeRecord, dump_record
from verulaw_rl.errors import UserError
from verulaw_rl.evaluation.curves import training_plots
from verulaw_rl.evaluation.outcome import best_submission
from verulaw_rl.evaluation.plots import Line, Plot, draw
from verulaw_rl.evaluation.report import write_report
from verulaw_rl.evaluation.run_folder import read_checkpoints, read_evaluation, read_run_folder
from verulaw_rl.suites.instance import Instance
from verulaw_rl.verification.verdict import ToolIdentity

pytestmark = pytest.mark.unit

Make = Callable[..., EpisodeRecord]
Item = Callable[..., Instance]
Folder = Callable[..., Path]

METRICS = [
    {
        "update": n,
        "reward": n / 20,
        "verified": n / 40,
        "verified_and_probes": n / 50,
        "kl": 0.01 * n,
        "entropy": 1.0 - n / 80,
        "specification_changed": 0.0,
        "proof_escape": 0.05,
        "seconds/sampling": 3.0,
        "seconds/verification": 2.0,
    }
    for n in range(1, 41)
]


class Balanced(HTMLParser):
    """Fails on a tag that is closed out of order, and collects what the page would load."""

    VOID = frozenset({"meta", "br", "link", "img", "hr", "input"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        self.loads += [
            v or "" for k, v in attrs if k in {"src", "href", "xlink:href"} and not (v or "").startswith("#")
        ]
        assert tag != "script" or "src" not in dict(attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def checked(path: Path) -> str:
    """The page's text, once it is well formed and loads nothing."""
    text = path.read_text(encoding="utf-8")
    parser = Balanced()
    parser.feed(text)
    assert parser.open == []
    assert parser.loads == []
    assert "@import" not in text
    assert "url(http" not in text
    return text


def words(html: str) -> str:
    html = re.sub(r"<script.*?</script>|<style.*?</style>", " ", html, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


@pytest.fixture
def trained(run_folder: Folder, record: Make, instance: Item) -> Path:
    keys = [f"seed/p{n}/annotation_repair" for n in range(64)]
    instances = [instance(key, ["sums", "search"][n % 2], 1 + n % 3) for n, key in enumerate(keys)]
    before = [record(key, "verified" if n < 24 else "failed") for n, key in enumerate(keys)]
    after = [record(key, "verified" if 2 <= n < 40 else "failed") for n, key in enumerate(keys)]
    after[50] = record(keys[50], "proof")
    after[51] = record(keys[51], "error")
    return run_folder({"before": before, "after": after}, METRICS, instances)


def test_training_report_says_what_was_measured(trained: Path) -> None:
    page = checked(write_report(trained))
    text = words(page)
    assert "Held-out verified, before training 37.5%" in text  # 24 of 64
    assert "Held-out verified, after training 60.3%" in text  # 38 of 63: one could not be scored
    assert "16 improved, 2 regressed of 63" in text
    assert "p = 0.0013" in text  # 2 * (1 + 18 + 153) / 2**18
    assert "1 of 64 episodes could not be scored" in text
    assert "40 of 40 updates" in text
    assert "dafny 2.3.0 (z3 4.8.5)" in text
    for heading in ("Verified by family", "Verified by difficulty", "How to reproduce", "Configuration"):
        assert heading in text
    assert "proof: assume" in text
    assert page.count("<svg") == 6
    assert "Content-Security-Policy" in page
    assert "currentColor" in page  # plots take the colour of the page
    assert "#010203" not in page
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_unfinished_run_says_so(run_folder: Folder, record: Make) -> None:
    folder = run_folder({"before": [record("a", "failed")]}, [{"update": n} for n in range(1, 8)])
    with (folder / "metrics.jsonl").open("a") as out:
        out.write('{"update": 8, "rew')
    text = words(checked(write_report(folder)))
    assert "unfinished: 7 of 40 updates" in text
    assert "verulaw-rl train --resume" in text


def test_run_without_any_evaluation_still_reports(run_folder: Folder) -> None:
    text = words(checked(write_report(run_folder({}, [{"update": n} for n in (1, 2, 3)]))))
    assert "unfinished: 3 of 40 updates" in text


def test_evaluation_folder(run_folder: Folder, record: Make, instance: Item) -> None:
    records = [record("a", "verified"), record("b", "failed"), record("c")]
    config = "policy: scripted:reference\nsuite: seed\n"
    folder = run_folder({"evaluation": records}, instances=[instance(k) for k in "abc"], config=config)
    text = words(checked(write_report(folder)))
    assert "Verified 33.3%" in text
    assert "verulaw-rl evaluate --policy scripted:reference" in text


def test_mixed_tools_and_unproved_probes_are_flagged(run_folder: Folder, record: Make) -> None:
    other = ToolIdentity("dafny", "4.11.0", "z3 4.12.1")
    after = [record(key, "verified", probes=(0, 1), tool=other) for key in "abc"]
    folder = run_folder({"before": [record(key, "failed") for key in "abc"], "after": after}, METRICS[:1])
    text = words(checked(write_report(folder)))
    assert "Verdicts of different tools are mixed (dafny 2.3.0 (z3 4.8.5), dafny 4.11.0 (z3 4.12.1))" in text
    assert "100% of the episodes verify without proving every hidden probe" in text


def test_what_a_policy_writes_is_text(run_folder: Folder, record: Make) -> None:
    folder = run_folder({"evaluation": [record("<script>alert(1)</script>", "failed")]}, config="name: '<b>x</b>'\n")
    page = checked(write_report(folder))
    assert "&lt;b&gt;x&lt;/b&gt;" in page
    assert "<script>alert" not in page
    assert "\\u003cscript>alert(1)" in page


@pytest.mark.parametrize(("name", "text"), [("metrics.jsonl", "{\n{}\n"), ("evaluation.jsonl", '{"a": 1}\n')])
def test_damaged_folder_is_one_line(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UserError, match=name) as raised:
        write_report(tmp_path)
    assert "\n" not in str(raised.value)


def test_no_run_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is no run folder"):
        read_run_folder(tmp_path)
    with pytest.raises(UserError, match="no folder"):
        read_run_folder(tmp_path / "missing")


def test_best_submission_is_the_scored_one(record: Make) -> None:
    turn = best_submission(record("a", "error", "failed", "proof"))
    assert turn is not None
    assert turn.score is not None
    assert turn.score.total == 0.25
    assert best_submission(record("a")) is None


def test_curves_come_from_the_keys_there_are() -> None:
    assert [p.title for p in training_plots([{"update": n, "kl": 0.1} for n in range(3)])] == [
        "KL to the policy before GRPO"
    ]
    assert training_plots([{"update": 1, "reward": 1.0}]) == []
    broken = [{"update": 1, "reward": None}, {"update": 2, "reward": float("nan")}, {"update": 3, "reward": 1.0}]
    assert training_plots(broken) == []
    assert json.dumps(METRICS)


def test_plot_is_repeatable() -> None:
    plot = Plot("Reward", (Line("reward", [1, 2, 3], [0.0, 1.0, 2.0]),))
    assert draw(plot) == draw(plot)


def test_several_runs_in_one_page(run_folder: Folder, record: Make, tmp_path: Path) -> None:
    outcomes = ("vff", "vvf", "vvv")
    names = {"v": "verified", "f": "failed"}
    runs = []
    for n, own in enumerate(outcomes):
        records = [record(f"i{k}", names[o]) for k, o in enumerate(own)]
        runs.append(run_folder({"evaluation": records}, config="name: evaluation\n").rename(tmp_path / f"run{n}"))
    text = words(checked(write_report(*runs, out=tmp_path / "all.html")))
    assert "run2 minus run0" in text
    assert "+66.7" in text
    assert "Verified, run by run" in (tmp_path / "all.html").read_text()
    other = [record("other", "verified")]
    runs.append(run_folder({"evaluation": other}).rename(tmp_path / "run3"))
    refused = words(checked(write_report(*runs, out=tmp_path / "all.html")))
    assert "differences are not shown" in refused
    assert "minus run0" not in refused


def test_checkpoints_of_a_run_have_a_trend_and_a_curve(run_folder: Folder, record: Make) -> None:
    folder = run_folder(
        {"before": [record("a", "failed"), record("b", "failed")], "after": [record(k, "verified") for k in "ab"]},
        [{"update": 40}],
    )
    (folder / "evaluations").mkdir()
    between = [record("a", "verified"), record("b", "failed")]
    (folder / "evaluations" / "update-20.jsonl").write_text("".join(dump_record(r) + "\n" for r in between))
    assert [(u, e.name) for u, e in read_checkpoints(folder)] == [
        (0, "trial:before"),
        (20, "trial:update-20"),
        (40, "trial:after"),
    ]
    assert read_evaluation(f"{folder}:update-20").records == tuple(between)
    assert "Held-out evaluation" in checked(write_report(folder))
    done = CliRunner().invoke(build_app("compare"), ["compare", str(folder), "--json"])
    verified = next(f for f in json.loads(done.stdout)["figures"] if f["name"] == "verified")
    assert verified["trend"]["slope"]["value"] == pytest.approx(1 / 40)


def test_the_alarm_is_in_the_report(run_folder: Folder, record: Make, instance: Item) -> None:
    keys = [f"k{n}" for n in range(60)]
    before = [record(k, "failed", probes=(0, 2)) for k in keys]
    after = [record(k, "verified", probes=(1, 2)) for k in keys]
    rising = [
        {"update": n, "episodes": 64, "unscorable": 0.0, "verified": n / 40, "verified_and_probes": 0.0}
        for n in range(1, 41)
    ]
    items = [instance(k) for k in keys]
    text = write_report(run_folder({"before": before, "after": after}, rising, items)).read_text()
    assert "held-out episodes: verified rose from 0% to 100%" in text
    assert "training episodes: verified rose from 14% to 89%" in text


def test_an_honest_rise_rings_no_alarm(run_folder: Folder, record: Make, instance: Item) -> None:
    keys = [f"k{n}" for n in range(60)]
    before = [record(k, "failed", probes=(0, 2)) for k in keys]
    after = [record(k, "verified", probes=(2, 2)) for k in keys]
    text = write_report(
        run_folder({"before": before, "after": after}, METRICS, [instance(k) for k in keys])
    ).read_text()
    assert "verified rose" not in text
