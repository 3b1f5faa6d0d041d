"""The example of docs/rewards.md is a reward: it loads, scores real episodes as by hand, and keeps its range."""

import random
import re
from pathlib import Path

import pytest

from tests.lab.made import made_evidence
from verulaw_rl.config.episode import EpisodeTerms
from verulaw_rl.errors import UserError
from verulaw_rl.evidence.reward import load_reward
from verulaw_rl.lab.recorded import read_episodes
from verulaw_rl.lab.rescoring import rescore_all

pytestmark = pytest.mark.unit


@pytest.fixture
def example(repository: Path, tmp_path: Path) -> Path:
    text = (repository / "docs" / "rewards.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (tmp_path / "mine.py").write_text(code)
    return tmp_path / "mine.py"


def test_the_example_scores_real_episodes(example: Path, run: Path):
    rewards = rescore_all(read_episodes([run]), load_reward(str(example)), EpisodeTerms())
    # Row 2: one of three probes holds, nothing verifies. 15: no submission, one wasted turn. 25: verified. 32: changed.
    assert [rewards[n - 1] for n in (2, 15, 25, 32)] == pytest.approx([0.5 / 3, -1.75, 1.0, -1.0])


def test_the_example_keeps_its_range(example: Path):
    draw, reward = random.Random(5), load_reward(str(example), {"rejected": -2.0})
    totals = [reward.score(made_evidence(draw)).total for _ in range(300)]
    assert {t for t in totals if t is not None} >= {-2.0, 1.0}
    assert None in totals


def test_the_example_that_leaves_its_range_is_refused_with_its_record(example: Path, run: Path):
    example.write_text(example.read_text().replace("weights.probes * share", "weights.probes * share + 1"))
    with pytest.raises(UserError, match=r"outside of its declared range -1\.0 to 1\.0") as refused:
        rescore_all(read_episodes([run]), load_reward(str(example)), EpisodeTerms())
    assert str(refused.value).startswith(f"{run / 'episodes.jsonl'}:1: reward {example}: instance ")
