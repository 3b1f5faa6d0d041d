"""The report's episodes in headless Chromium: grid, filters, an episode turn by turn, deep links, size."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.viewer import many_records
from tests.chromium import in_chromium
from tests.evaluation.conftest import TRIED
from verulaw_rl.episodes.record import EpisodeRecord
from verulaw_rl.evaluation.outcome import outcome_of
from verulaw_rl.evaluation.report import write_report
from verulaw_rl.evaluation.viewer import kind_of
from verulaw_rl.suites.instance import Instance

pytestmark = pytest.mark.unit

Make = Callable[..., EpisodeRecord]
WAIT = "await new Promise(done => setTimeout(done, 800));"


@pytest.fixture
def page(run_folder: Callable[..., Path], record: Make, instance: Callable[..., Instance], tmp_path: Path) -> Path:
    """Two runs of three instances: one improves, one is rejected by the audit, one is not submitted."""
    first = [record("a", "failed", "failed", probes=(1, 2)), record("b", "specification"), record("c")]
    second = [record("a", "verified", probes=(2, 2)), record("b", "timeout"), record("c", "error")]
    instances = [instance("a", "sums"), instance("b", "search"), instance("c", "search")]
    folders = [
        run_folder({"evaluation": records}, instances=instances).rename(tmp_path / name)
        for name, records in (("old", first), ("new", second))
    ]
    return write_report(*folders, out=tmp_path / "page.html")


GRID = """
const cells = () => [...document.querySelectorAll("#grid tr")].map(r => [...r.querySelectorAll("td")].map(
  td => [...td.querySelectorAll("button")].map(b => b.textContent.trim()).join(" ")));
const all = cells();
const set = async (id, value) => {
  const input = document.getElementById(id);
  if (input.type === "checkbox") input.checked = value; else input.value = value;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  await new Promise(done => setTimeout(done, 600));
};
const count = () => document.getElementById("count").textContent;
const rows = () => document.querySelectorAll("#grid tr").length;
await set("filter-q", "clause_changed"); const found = count(); await set("filter-q", "");
await set("filter-differ", true); const differ = rows(); await set("filter-differ", false);
await set("filter-family", "search"); const family = rows(); await set("filter-family", "");
await set("filter-q", "0 <= 1 < 2"); const shallow = count();
await set("filter-deep", true); const deep = count();
const controls = [...document.querySelectorAll("input, select, button")];
return { all, found, differ, family, shallow, deep, hash: location.hash,
  nameless: controls.filter(c => !c.labels?.length && !c.getAttribute("aria-label") && !c.textContent.trim()).length,
  loaded: performance.getEntriesByType("resource").length };
"""


def test_the_grid_and_its_filters(page: Path, tmp_path: Path) -> None:
    seen = in_chromium(page, WAIT + GRID, tmp_path)
    assert seen["all"] == [["✗", "✓"], ["spec", "time"], ["–", "?"]]
    assert seen["found"].startswith("1 of 6 episodes")
    assert (seen["differ"], seen["family"]) == (1, 2)
    assert seen["shallow"].startswith("0 of 6")
    assert seen["deep"].startswith("4 of 6")  # the programs of all but the verified one and the one not submitted
    assert "deep=1" in seen["hash"]
    assert (seen["nameless"], seen["loaded"]) == (0, 0)


EPISODE = """
const of = kind => [...document.querySelectorAll(`.turn:first-child ${kind}`)];
const shown = () => ({
  title: document.getElementById("episode-title").textContent,
  facts: document.getElementById("episode-facts").textContent,
  turns: [...document.querySelectorAll(".turn h3")].map(h => h.textContent),
  diff: of(".line").map(l => l.textContent),
  notes: of(".note").map(n => [n.previousElementSibling.textContent, n.textContent]),
  probes: of("summary").map(s => s.textContent),
  focused: document.activeElement.id, hidden: document.getElementById("episode").hidden,
});
const linked = shown();
const press = async key => {
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  await new Promise(done => setTimeout(done, 400));
};
await press("j"); const next = shown(); await press("Escape"); const left = shown();
return { linked, next, left };
"""


def test_an_episode_by_its_link_and_the_keyboard(page: Path, tmp_path: Path) -> None:
    seen: dict[str, Any] = in_chromium(page, WAIT + EPISODE, tmp_path, "#episode=0/0/a")
    linked = seen["linked"]
    assert linked["title"] == "a: not verified"
    assert "dafny 2.3.0 (z3 4.8.5)" in linked["facts"]
    assert linked["turns"] == ["Turn 1: submit", "Turn 2: submit"]
    assert linked["focused"] == "episode"
    added = [line for line in linked["diff"] if line.startswith("+")]
    assert added == ["+   7      invariant s <= 2 * i && 0 <= 1 < 2"]
    ((place, note),) = linked["notes"]
    # The diagnostic is of line 10, and stands under it.
    assert place.split(maxsplit=1) == ["10", TRIED.split("\n")[9].strip()]
    assert note == "postcondition: A postcondition might not hold on this return path."
    assert linked["probes"][:2] == ["Obligations: 0 of 1 hold", "Hidden probes: 1 of 2 hold"]
    assert seen["next"]["title"] == "a: verified"
    assert seen["left"]["hidden"]
    assert seen["left"]["focused"] != "episode"


def test_what_an_episode_came_to(record: Make) -> None:
    kinds = [
        kind_of(outcome_of(record("a", *outcomes)))
        for outcomes in (
            ("proof", "verified"),
            ("proof",),
            ("specification", "proof"),
            ("proof", "failed"),
            ("timeout", "failed"),
            (),
            ("error",),
        )
    ]
    assert kinds == ["verified", "proof", "specification", "failed", "timeout", "nothing", "unscorable"]


def test_5000_episodes_are_small_and_all_open(run_folder: Callable[..., Path], tmp_path: Path) -> None:
    page = write_report(run_folder({"evaluation": many_records(5000)}))
    assert page.stat().st_size < 30e6
    assert in_chromium(page, "return document.body.innerText.includes('5000 of 5000 episodes')", tmp_path)
