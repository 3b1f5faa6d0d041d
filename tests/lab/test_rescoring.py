"""Recorded episodes scored again: as the records' own reader does it, and advantages as the trainer has them."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from tests.lab.made import made_records, write_records
from verulaw_rl.config.episode import EpisodeTerms
from verulaw_rl.episodes.record import load_records, rescore
from verulaw_rl.errors import UserError
from verulaw_rl.evidence.reward import load_reward
from verulaw_rl.lab.choice import choose, recorded_scoring
from verulaw_rl.lab.recorded import read_episodes
from verulaw_rl.lab.rescoring import advantages, compare, rank_correlation, rescore_all, scaled_over

pytestmark = pytest.mark.unit


def test_real_episodes_under_their_own_reward_keep_it(run: Path):
    episodes = read_episodes([run])
    choice = choose(recorded_scoring(episodes), None)
    assert rescore_all(episodes, choice.reward, choice.terms) == [e.reward for e in episodes]
    assert len({e.group for e in episodes}) == 4
    assert (episodes[9].row, episodes[9].place) == (10, f"{run / 'episodes.jsonl'}:10")


@pytest.mark.parametrize("file", ["rewards/obligation.py", "rewards/binary.py"])
def test_the_same_as_rescoring_whole_records(file: str, tmp_path: Path, run: Path):
    made = write_records(tmp_path / "made", made_records(300))
    weights = {"verified_bonus": 0.5, "proof_escape": -2.0, "probes": False} if "obligation" in file else {}
    reward, terms = load_reward(file, weights), EpisodeTerms(no_submission=-2.0, wasted_turn=-0.5, wasted_cap=-0.75)
    for folder in (run, made):
        records = list(load_records(folder / "episodes.jsonl"))
        expected = [rescore(record, reward, terms).reward for record in records]
        assert rescore_all(read_episodes([folder]), reward, terms) == expected
        assert len(set(expected)) > 2


def test_settings_by_name(run: Path):
    scoring = recorded_scoring(read_episodes([run]))
    settings = ["weights.invariant=0.6", "weights.code_generation.safety=0.7", "episode.no_submission=-2"]
    values = choose(scoring, None, settings).values
    assert values["weights.annotation_repair.invariant"] == values["weights.code_generation.invariant"] == 0.6
    assert values["weights.code_generation.safety"] == 0.7
    assert values["weights.annotation_repair.safety"] == 0.1
    assert values["episode.no_submission"] == -2.0
    assert choose(scoring, "rewards/binary.py", ["weights.otherwise=-1"]).values["weights.otherwise"] == -1.0


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("weights.invariants=0.6", "names no value"),
        ("weights.annotation_repair=1", "names no value"),
        ("weights", "names no value"),
        ("invariant=1", "names no value"),
        ("weights.invariant=much", "annotation_repair.invariant"),
        ("weights.invariant=-1", "greater than or equal to 0"),
        ("episode.wasted_cap=[1", "no YAML"),
        ("episode.wasted_cap=low", "wasted_cap"),
    ],
)
def test_a_bad_setting_is_one_line(setting: str, says: str):
    with pytest.raises(UserError, match=says):
        choose(None, None, [setting])


def test_advantages_by_hand():
    rewards = np.array([1.0, 0.0, 0.0, 0.0, 0.1 + 0.2, 0.3, 0.3, math.nan, 5.0, math.nan])
    groups = np.array([0, 0, 0, 0, 1, 1, 1, 0, 2, 2])
    got, flat = advantages(rewards, groups, groups)
    # Group 0: mean 1/4, deviation sqrt((9/16 + 3/16) / 3) = 1/2. Group 1 differs by rounding alone.
    scale = 0.5 + 1e-4
    expected = [0.75 / scale, -0.25 / scale, -0.25 / scale, -0.25 / scale, 0, 0, 0, 0, 0, 0]
    assert got == pytest.approx(expected, abs=1e-12)
    assert list(flat) == [False, True, True]
    # Over nothing; and over one batch of the eight known, whose mean is 6.9/8 and whose squares are 1 + 0.27 + 25.
    plain, _ = advantages(rewards, groups, np.full(10, -1))
    assert plain == pytest.approx([0.75, -0.25, -0.25, -0.25, 0, 0, 0, 0, 0, 0])
    batch, same = advantages(rewards, groups, np.zeros(10, dtype=int))
    whole = math.sqrt((1 + 3 * 0.09 + 25 - 8 * (6.9 / 8) ** 2) / 7) + 1e-4
    assert batch == pytest.approx([0.75 / whole, -0.25 / whole, -0.25 / whole, -0.25 / whole, 0, 0, 0, 0, 0, 0])
    assert list(same) == list(flat)


@pytest.mark.parametrize("scale", ["group", "batch", "none"])
def test_scaling_is_read_from_the_runs_config(scale: str, tmp_path: Path):
    folder = write_records(tmp_path / "made", made_records(128))
    (folder / "config.yaml").write_text(f"name: made\ngrpo: {{scale_rewards: {scale}}}\n")
    episodes = read_episodes([folder])
    assert {e.scale for e in episodes} == {scale}
    ids = {key: n for n, key in enumerate(dict.fromkeys(e.group for e in episodes))}
    scaled = scaled_over(episodes, np.array([ids[e.group] for e in episodes]))
    assert len(set(scaled)) == {"group": 16, "batch": 2, "none": 1}[scale]  # 128 episodes in two updates
    (folder / "config.yaml").write_text("grpo: {scale_rewards: everything}\n")
    with pytest.raises(UserError, match="must be one of group, batch, none"):
        read_episodes([folder])
    (folder / "config.yaml").write_text("evaluation: {samples: 4}\n")
    assert read_episodes([folder])[0].scale == "group"


def test_advantages_are_the_trainers():
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install -e .[train]")
    utils = pytest.importorskip("trl.trainer.utils", reason="trl is not installed: pip install -e .[train]")
    rewards = np.random.default_rng(3).choice([math.nan, 0.0, 0.5, 3.0, -1.0], size=(20, 8), p=[0.2] * 5)
    tensor = torch.tensor(rewards)
    mean = torch.nanmean(tensor, dim=1, keepdim=True)
    theirs = ((tensor - mean) / (utils.nanstd(tensor, dim=1, keepdim=True) + 1e-4)).nan_to_num(nan=0.0)
    groups = np.repeat(np.arange(20), 8)
    ours, _ = advantages(rewards.ravel(), groups, groups)
    assert ours == pytest.approx(theirs.numpy().ravel(), abs=1e-6)  # TRL counts in float32
    batch = ((tensor - mean) / (utils.nanstd(tensor) + 1e-4)).nan_to_num(nan=0.0)
    ours, _ = advantages(rewards.ravel(), groups, np.zeros(160, dtype=int))
    assert ours == pytest.approx(batch.numpy().ravel(), abs=1e-6)


def test_rank_correlation_is_spearmans():
    draw = np.random.default_rng(1)
    first, second = draw.integers(0, 9, 200).astype(float), draw.normal(size=200)
    assert rank_correlation(first, second) == pytest.approx(spearmanr(first, second).statistic)
    assert rank_correlation(first, np.ones(200)) is None


def test_comparison_by_hand(tmp_path: Path):
    episodes = read_episodes([write_records(tmp_path, made_records(16))])
    old = [1.0, 0, 0, 0, 0, 0, 0, None] + [2.0] * 8
    new = [0.0, 1, 0, 0, 0, 0, 0, 5.0] + [2.0] * 7 + [3.0]
    found = compare(episodes, new, old)
    assert (found.episodes, found.scorable, found.groups) == (16, 15, 2)
    assert (found.zero_variance_old, found.zero_variance_new) == (0.5, 0.0)
    assert found.mean_old == pytest.approx(17 / 15)
    # Means over the scorable: 1/7 before and 6/8 after, so that the first falls below and the second rises above.
    assert found.sign_flips == (episodes[0].place, episodes[1].place)
    assert {c.place for c in found.most_changed} >= {episodes[n].place for n in (0, 1, 7, 15)}
    assert len(found.most_changed) == 10
    sizes = [abs(c.new_advantage - c.old_advantage) for c in found.most_changed]
    assert sizes == sorted(sizes, reverse=True)


def test_a_refused_score_names_the_record(run: Path, tmp_path: Path):
    own = tmp_path / "own.py"
    own.write_text(
        "from pydantic import BaseModel\nfrom verulaw_rl.evidence.reward import Score\n"
        "class Weights(BaseModel):\n    bonus: float = 1.0\n"
        "def reward(evidence, weights):\n"
        "    return Score(float('nan') if evidence.verified else weights.bonus, {}, 'partial')\n"
    )
    episodes = read_episodes([run])
    first = next(e for e in episodes if any(t.evidence and t.evidence.verified for t in e.turns))
    with pytest.raises(UserError, match="finite") as refused:
        rescore_all(episodes, load_reward(str(own)), EpisodeTerms())
    assert str(refused.value).startswith(f"{first.place}: reward {own}: instance {first.instance!r}")


def test_bad_runs_are_one_line(tmp_path: Path, run: Path):
    lines = (run / "episodes.jsonl").read_text().splitlines(keepends=True)
    cut = tmp_path / "cut.jsonl"
    cut.write_text(lines[0] + lines[1][:200])
    assert len(read_episodes([cut])) == 1
    cut.write_text(lines[0][:200] + "\n" + lines[1])
    with pytest.raises(UserError, match=r"cut\.jsonl:1: no JSON"):
        read_episodes([cut])
    cut.write_text(lines[0] + '{"instance": 3}\n')
    with pytest.raises(UserError, match=r"cut\.jsonl:2: no episode record"):
        read_episodes([cut])
    cut.write_text("")
    with pytest.raises(UserError, match="no episodes"):
        read_episodes([cut])
    with pytest.raises(UserError, match="no run"):
        read_episodes([tmp_path / "missing"])
    with pytest.raises(UserError, match=r"neither episodes\.jsonl"):
        read_episodes([tmp_path])
    other = tmp_path / "other.jsonl"
    other.write_text(lines[0] + lines[1].replace('"verified_bonus": 2.0, "spec', '"verified_bonus": 1.0, "spec'))
    with pytest.raises(UserError, match="were not scored by the same reward"):
        recorded_scoring(read_episodes([other]))
