"""The lab page in headless Chromium: its arithmetic against Python's on 1,000 records, its controls, its YAML."""

import json
from pathlib import Path

import pytest
import yaml

from tests.chromium import in_chromium
from tests.lab.made import made_records, write_records
from verulaw_rl.config.train import TrainConfig
from verulaw_rl.errors import UserError
from verulaw_rl.evidence.reward import load_reward
from verulaw_rl.lab.choice import Choice, choose, recorded_scoring
from verulaw_rl.lab.page import for_script, latest_groups, write_page
from verulaw_rl.lab.recorded import read_episodes
from verulaw_rl.lab.rescoring import compare, rescore_all
from verulaw_rl.suites.instance import load_suite

pytestmark = pytest.mark.unit

SETTINGS = [
    (),
    ("weights.invariant=0.6", "weights.verified_bonus=0.5", "episode.no_submission=0.25"),
    ("weights.probes=false", "weights.safety=0", "weights.program_fault=-2", "episode.wasted_turn=-0.4"),
    ("weights.audit=false", "weights.postcondition=0.9", "episode.wasted_cap=-0.3"),
    tuple(f"weights.{c}=0" for c in ("postcondition", "invariant", "assertion", "safety", "termination")),
]


@pytest.fixture
def real_page(run: Path, tmp_path: Path) -> Path:
    episodes = read_episodes([run])
    instances = {i.content_hash: i for i in load_suite(run / "suite.jsonl").instances}
    page = tmp_path / "lab.html"
    assert write_page(page, "run", episodes, choose(recorded_scoring(episodes), None), instances) == 32
    return page


@pytest.mark.parametrize("scale", ["group", "batch", "none"])
def test_page_and_python_agree_on_1000_records(tmp_path: Path, scale: str):
    folder = write_records(tmp_path / "made", made_records(1000))
    (folder / "config.yaml").write_text(f"grpo: {{scale_rewards: {scale}}}\n")
    episodes = read_episodes([folder])
    page = tmp_path / "lab.html"
    choices = [choose(None, None, settings) for settings in SETTINGS]
    assert write_page(page, "made", episodes, choices[0], {}) == 1000
    values = [{k: v for k, v in c.values.items() if isinstance(v, int | float)} for c in choices]
    shown = in_chromium(page, f"return {json.dumps(values)}.map(rescore);", tmp_path)
    for choice, theirs in zip(choices, shown, strict=True):
        rewards = rescore_all(episodes, choice.reward, choice.terms)
        assert [r is None for r in theirs["rewards"]] == [r is None for r in rewards]
        pairs = [(a, b) for a, b in zip(theirs["rewards"], rewards, strict=True) if b is not None]
        assert [a for a, _ in pairs] == pytest.approx([b for _, b in pairs], abs=1e-12)
        ours = compare(episodes, rewards)
        assert (theirs["groups"], theirs["scorable"]) == (ours.groups, ours.scorable)
        assert [episodes[n].place for n in theirs["flips"]] == list(ours.sign_flips)
        for name, figure in (
            ("flatOld", ours.zero_variance_old),
            ("flatNew", ours.zero_variance_new),
            ("meanOld", ours.mean_old),
            ("meanNew", ours.mean_new),
            ("correlation", ours.rank_correlation),
        ):
            assert theirs[name] == pytest.approx(figure, abs=1e-9), name
        places = {c.place: c for c in ours.most_changed}
        for n, episode in enumerate(episodes):
            if episode.place in places:
                assert theirs["after"][n] == pytest.approx(places[episode.place].new_advantage, abs=1e-9)


MOVE = """
const slider = document.getElementById("value-weights.specification_changed");
const row = () => document.querySelector("#ranking tr td:last-child").textContent;
const order = document.getElementById("order");
order.value = "reward, lowest first"; order.dispatchEvent(new Event("change"));
const lowest = row();
slider.focus(); slider.value = -4; slider.dispatchEvent(new Event("input"));
await new Promise(done => setTimeout(done, 50));
const controls = [...document.querySelectorAll("input, select, textarea")];
const moved = row();
document.querySelector("#ranking button").click();
return {
  lowest, moved, focused: document.activeElement.id,
  nameless: controls.filter(c => !c.labels?.length && !c.getAttribute("aria-label")).length, controls: controls.length,
  yaml: document.getElementById("yaml").value,
  title: document.getElementById("episode-title").textContent,
  added: [...document.querySelectorAll("#turns .add")].map(line => line.textContent),
  findings: document.querySelectorAll("#turns .bad li").length,
  bars: document.querySelectorAll("figure rect").length,
  outside: performance.getEntriesByType("resource").filter(r => !r.name.startsWith("file:")).length,
};
"""


def test_a_moved_slider_ranks_again_and_exports(real_page: Path, tmp_path: Path):
    seen = in_chromium(real_page, MOVE, tmp_path)
    assert seen["lowest"] != seen["moved"]
    assert seen["moved"].startswith("episodes.jsonl:32 ")  # the one whose specification was changed, now the lowest
    assert seen["title"].endswith("reward -4.000, was -1.000")
    assert seen["added"] == [
        "+   9      invariant 0 <= i <= a.Length",
        "+  10      invariant r == F(a, i)",
    ]
    assert (seen["findings"], seen["nameless"], seen["outside"]) == (2, 0, 0)
    assert seen["focused"] == "episode"
    assert seen["controls"] > 30
    assert seen["bars"] > 8

    config = TrainConfig.model_validate(
        {"suite": {"type": "seed"}, "policy": {"type": "small"}, **yaml.safe_load(seen["yaml"])}
    )
    exported = Choice(load_reward(config.reward.file, config.reward.weights), config.reward.episode)
    assert exported.values == choose(None, None, ["weights.specification_changed=-4"]).values


def test_text_of_a_candidate_cannot_leave_its_script():
    assert "<" not in for_script({"text": "</script><!-- <b>"})
    assert json.loads(for_script({"text": "</script>"})) == {"text": "</script>"}


def test_the_latest_whole_groups_are_shown(run: Path):
    episodes = read_episodes([run])
    assert latest_groups(episodes, 20) == list(episodes[16:])
    assert latest_groups(episodes, 3) == list(episodes[24:])


def test_only_the_obligation_reward_can_be_tuned(run: Path, tmp_path: Path):
    with pytest.raises(UserError, match="verulaw-rl rescore"):
        write_page(tmp_path / "x.html", "run", read_episodes([run]), choose(None, "rewards/binary.py"), {})
