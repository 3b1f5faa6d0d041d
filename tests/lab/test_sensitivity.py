"""Sweeps over real episodes: each point is what setting that value alone gives, and the page shows them."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from verulaw_rl.cli.main import build_app
from verulaw_rl.lab.choice import choose
from verulaw_rl.lab.recorded import read_episodes
from verulaw_rl.lab.rescoring import compare, rescore_all

pytestmark = pytest.mark.unit


def test_sensitivity_of_a_run(run: Path, tmp_path: Path):
    page = tmp_path / "page.html"
    done = CliRunner().invoke(build_app("sensitivity"), ["sensitivity", str(run), "--out", str(page), "--json"])
    assert done.exit_code == 0, done.output
    sweeps = {s["key"]: s for s in json.loads(done.stdout)["sweeps"]}
    assert len(sweeps) == 10 + 4 + 2 + 3  # two tables of weights, bonus and penalties, switches, terms of an episode
    swept = sweeps["weights.annotation_repair.invariant"]
    assert [p["value"] for p in swept["points"]] == pytest.approx([0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.6])
    at_base = swept["points"][3]
    assert (at_base["rank_correlation"], at_base["sign_flips"]) == (pytest.approx(1.0), 0.0)

    episodes = read_episodes([run])
    zero = choose(None, None, ["weights.annotation_repair.invariant=0"])
    found = compare(episodes, rescore_all(episodes, zero.reward, zero.terms))
    assert swept["points"][0]["sign_flips"] == len(found.sign_flips) / found.scorable > 0
    assert swept["points"][0]["mean_reward"] == pytest.approx(found.mean_new)

    # Every episode repairs annotations: the other table of weights changes nothing.
    assert swept["matters"]
    assert not sweeps["weights.code_generation.invariant"]["matters"]
    html = page.read_text()
    assert html.count("<svg") == sum(s["matters"] for s in sweeps.values())
    assert 'aria-label="weights.annotation_repair.invariant"' in html
    assert "http://" not in html.replace("http://www.w3.org/", "").replace("http://purl.org/", "").replace(
        "http://creativecommons.org/", ""
    )
