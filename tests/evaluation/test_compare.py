"""Evaluations against one another: what is refused, and the figures of the command on made records."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from verulaw_rl.cli.main import build_app
from verulaw_rl.episodes.record import EpisodeRecord
from verulaw_rl.errors import UserError
from verulaw_rl.evaluation.compare import differences
from verulaw_rl.evaluation.run_folder import Evaluation, read_evaluation
from verulaw_rl.evaluation.statistics import mcnemar
from verulaw_rl.verification.verdict import ToolIdentity

pytestmark = pytest.mark.unit

Make = Callable[..., EpisodeRecord]
Write = Callable[..., Path]


@pytest.fixture
def folders(record: Make, run_folder: Write, tmp_path: Path) -> Callable[..., list[Path]]:
    def write(*evaluations: Sequence[EpisodeRecord]) -> list[Path]:
        out = []
        for number, records in enumerate(evaluations):
            out.append(run_folder({"evaluation": records}).rename(tmp_path / f"run{number}"))
        return out

    return write


def compare(*words: str | Path) -> Result:
    return CliRunner().invoke(build_app("compare"), ["compare", *(str(w) for w in words)])


def played(record: Make, outcomes: str, **changed: Any) -> list[EpisodeRecord]:
    names = {"v": "verified", "f": "failed", "e": "error"}
    return [replace(record(f"i{n:02}", names[o]), **changed) for n, o in enumerate(outcomes)]


def test_two_runs(record: Make, folders: Callable[..., list[Path]]) -> None:
    runs = folders(played(record, "vvffffffffe"), played(record, "vfvvvvvffff"))
    done = compare(*runs, "--json")
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    verified = next(f for f in said["figures"] if f["name"] == "verified")
    difference = verified["differences"][0]
    assert difference["difference"]["value"] == pytest.approx(0.4)
    assert difference["difference"]["n"] == 10  # the unscorable one is in no pair
    assert (difference["improved"], difference["regressed"]) == (5, 1)
    assert difference["p_value"] == mcnemar(5, 1) == pytest.approx(14 / 64)
    assert said["improved"] == ["i02", "i03", "i04", "i05", "i06"]
    assert said["regressed"] == ["i01"]
    assert verified["trend"] is None
    assert "+40.0" in compare(*runs).stdout


def test_three_checkpoints_have_a_trend(record: Make, folders: Callable[..., list[Path]]) -> None:
    runs = folders(played(record, "ffff"), played(record, "vfff"), played(record, "vvff"))
    said = json.loads(compare(*runs, "--json", "--at", "0", "--at", "10", "--at", "20").stdout)
    verified = next(f for f in said["figures"] if f["name"] == "verified")
    assert verified["trend"]["slope"]["value"] == pytest.approx(2 / 4 / 20)
    # x = -1, 0, 1: each moving instance gives 1 with variance 2/3.
    assert verified["trend"]["z"] == pytest.approx(2 / (4 / 3) ** 0.5)


def test_other_tools_and_suites_are_refused(record: Make, folders: Callable[..., list[Path]]) -> None:
    other = (ToolIdentity("dafny", "4.11.0", "z3 4.12.1"),)
    rebuilt = played(record, "vf")
    rebuilt[1] = replace(rebuilt[1], instance_hash="1" * 64)
    cases = [
        (played(record, "vf", tools=other), "different tools"),
        (played(record, "vff"), "different instances"),
        (rebuilt, "different versions of i01"),
    ]
    for records, reason in cases:
        (why,) = differences([Evaluation("a", tuple(played(record, "vf")), {}), Evaluation("b", tuple(records), {})])
        assert reason in why
    runs = folders(played(record, "vf"), played(record, "vf", tools=other))
    refused = compare(*runs)
    assert refused.exit_code == 2
    assert "--allow-different" in refused.stderr
    told = compare(*runs, "--allow-different", "--json")
    assert told.exit_code == 0
    assert "different tools" in json.loads(told.stdout)["warnings"][0]


def test_an_evaluation_by_its_name(record: Make, run_folder: Write) -> None:
    folder = run_folder({"before": played(record, "f"), "after": played(record, "v")}, metrics=[{"update": 1}])
    assert read_evaluation(str(folder)).name == "trial:after"
    assert read_evaluation(f"{folder}:before").records[0].verified is False
    with pytest.raises(UserError, match="it has: before, after"):
        read_evaluation(f"{folder}:during")
