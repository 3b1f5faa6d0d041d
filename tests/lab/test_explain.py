"""Explanations of real records, against what the records say; sums by hand."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.lab.made import made_records
from verulaw_rl.cli.main import build_app
from verulaw_rl.config.episode import EpisodeTerms
from verulaw_rl.evidence.reward import load_reward
from verulaw_rl.lab.diff import around, numbered_diff
from verulaw_rl.lab.explain import episode_arithmetic, explain

pytestmark = pytest.mark.unit

REWARD = load_reward("rewards/obligation.py")


def run_explain(*words: object) -> Result:
    return CliRunner().invoke(build_app("explain"), ["explain", *map(str, words)], env={"COLUMNS": "120"})


def explained(*words: object) -> dict:
    done = run_explain(*words, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_a_partial_record(run: Path):
    seen = explained(f"{run / 'episodes.jsonl'}:2")
    held = {c["id"]: c["discharged"] for c in seen["obligations"] + seen["probes"]}
    assert [i for i, holds in held.items() if holds] == ["safety:Compute", "termination:Compute:loop0", "probe:0"]
    assert {c["id"]: c["about"] for c in seen["probes"]}["probe:1"] == "r == 1 + x * (n - i)"
    assert [(f["category"], f["line"]) for f in seen["failures"]] == [("invariant", 10), ("invariant", 11)]
    assert {t["category"]: (t["total"], t["open"], t["own_failures"], t["discharged"]) for t in seen["terms"]} == {
        "postcondition": (2, 2, 0, 0),
        "invariant": (3, 2, 2, 0),
        "safety": (1, 0, 0, 1),
        "termination": (1, 0, 0, 1),
    }
    assert seen["arithmetic"][0] == "r = (0.25·0/2 + 0.4·0/3 + 0.1·1/1 + 0.1·1/1) / 0.85 = 0.2353"
    assert seen["episode"][-1] == "reward: best submission 0.2353 = 0.2353"


def test_findings_stand_in_the_diff(run: Path):
    seen = explained(f"{run / 'episodes.jsonl'}:32")
    first = seen["findings"][0]
    added = [line for line in first["diff"] if line["candidate"] == first["line"]]
    assert [(line["kind"], line["text"]) for line in added] == [("add", "    invariant 0 <= i <= a.Length")]
    assert seen["score"] == {
        "total": -1.0,
        "components": {"specification_changed": -1.0},
        "outcome": "specification_changed",
    }
    shown = run_explain(f"{run / 'episodes.jsonl'}:32").output
    assert "▶           9 +     invariant 0 <= i <= a.Length" in shown
    assert first["advice"].split(":")[0] in shown


def test_an_invalid_program_names_its_errors(run: Path):
    lines = (run / "episodes.jsonl").read_text().splitlines()
    row, record = next((n, r) for n, line in enumerate(lines, 1) if _status(r := json.loads(line)) == "invalid")
    said = [f"line {m['line']}: {m['message']}" for m in record["turns"][0]["evidence"]["messages"]]
    assert all(c["diagnostics"] == said for c in explained(f"{run / 'episodes.jsonl'}:{row}")["obligations"])


def _status(record: dict) -> str | None:
    return (record["turns"][0]["evidence"] or {}).get("status")


def test_nothing_submitted_and_other_weights(run: Path):
    seen = explained(run, "--episode", 15, "--set", "episode.no_submission=-3")
    assert seen["episode"] == ["reward: no submission -3, 1 wasted turns -0.25 = -3.25"]
    verified = explained(f"{run / 'episodes.jsonl'}:25", "--set", "weights.verified_bonus=1")
    assert verified["arithmetic"][-1] == "score: r 1 + verified_bonus 1 = 2 (verified)"
    other = explained(f"{run / 'episodes.jsonl'}:25", "--reward", "rewards/binary.py")
    assert (other["terms"], other["arithmetic"]) == ([], ["score: verified 1 = 1 (verified)"])


def test_terms_add_up_to_the_score():
    for record in made_records(200):
        for turn in record.turns:
            if turn.evidence is not None:
                seen = explain(turn.evidence, REWARD)
                if seen.terms and seen.score.total is not None:
                    parts = sum(t.part for t in seen.terms)
                    assert parts == pytest.approx(seen.score.components["obligation_ratio"])
        assert episode_arithmetic(record, EpisodeTerms())[-1].startswith("reward: ")


def test_numbered_diff_by_hand():
    lines = [(x.kind, x.given, x.candidate, x.text) for x in numbered_diff("a\nb\nc\n", "a\nx\nc\nd\n")]
    assert lines == [
        ("same", 1, 1, "a"),
        ("del", 2, None, "b"),
        ("add", None, 2, "x"),
        ("same", 3, 3, "c"),
        ("add", None, 4, "d"),
    ]


def test_a_place_is_found_on_its_own_side():
    diff = numbered_diff("a\nb\nc\n", "x\ny\na\nc\n")  # + x, + y, a, - b, c
    assert around(diff, 2, in_given=False) == diff[0:4]
    assert around(diff, 2, in_given=True) == diff[1:5]
    assert around(diff, 9, in_given=True) == ()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("RUN/episodes.jsonl:400",), "has no row 400"),
        (("RUN/episodes.jsonl:0",), "has no row 0"),
        (("RUN/missing.jsonl:1",), "cannot read episodes"),
        (("RUN",), "which episode"),
        (("RUN/episodes.jsonl",), "which episode"),
        (("RUN/episodes.jsonl:1", "--turn", "2"), "not a turn 2"),
        (("mine.dfy",), "needs --suite and --instance"),
        (("RUN/suite.jsonl:1",), "no episode record"),
    ],
)
def test_misuse_is_one_line(run: Path, words: tuple[str, ...], says: str):
    done = run_explain(*(word.replace("RUN", str(run)) for word in words))
    assert done.exit_code == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
