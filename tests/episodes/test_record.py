"""Records: one JSON row and back, and scored again without a verifier."""

import json
from pathlib import Path

import pytest

from tests.episodes.factory import GIVEN, REFERENCE, TOOL
from verulaw_rl.config.episode import EpisodeConfig, EpisodeTerms
from verulaw_rl.episodes.env import ProofEnv
from verulaw_rl.episodes.record import (
    EpisodeRecord,
    dump_record,
    load_records,
    record_from_row,
    record_to_row,
    rescore,
)
from verulaw_rl.episodes.registration import load_environment
from verulaw_rl.episodes.services import Services
from verulaw_rl.errors import UserError
from verulaw_rl.evidence.reward import load_reward
from verulaw_rl.suites.instance import Suite

pytestmark = pytest.mark.unit
WRONG = GIVEN.replace("while i < n\n", "while i < n\n    invariant i == n\n")


@pytest.fixture
def env(suite: Suite, services: Services) -> ProofEnv:
    settings = EpisodeConfig(prompt="compact", turns=8)
    return load_environment("envs/annotation_repair.py")(suite, settings=settings, services=services)


def played(env: ProofEnv, *texts: str) -> EpisodeRecord:
    env.reset(seed=7)
    for text in texts:
        env.step(text)
    return env.record(
        run="r1", policy="scripted", policy_version="1", sampling={"temperature": 1.0},
        tokens={"prompt": 10, "sampled": 5, "observed": 2}, times={"episode_s": 0.5},
    )  # fmt: skip


TURNS = (
    f"<verify>{WRONG}</verify>",
    f"<submit>{WRONG}</submit>",
    "hm \ud800",
    f"<submit>{WRONG}</submit>",
    f"<run>{GIVEN}<calls>print 1;</calls></run>",
    f"<submit>{GIVEN}assume</submit>",
    f"<submit>{REFERENCE}</submit>",
)


def test_a_record_says_what_happened(env: ProofEnv) -> None:
    record = played(env, *TURNS)
    assert (record.instance, record.seed) == (env.episode.instance.key, 7)
    assert record.instance_hash == env.episode.instance.content_hash
    assert (record.policy, record.run, record.end_reason) == ("scripted", "r1", "verified")
    assert record.reward == pytest.approx(3.0 - 0.5)
    assert record.direct_score == pytest.approx(3.0)
    assert record.assisted_score is None
    assert record.components["wasted_turns"] == -0.5
    assert record.components["best_submission"] == pytest.approx(3.0)
    assert record.components["verified_bonus"] == 2.0
    assert record.verified
    assert record.tools == (TOOL,)
    assert [t.action for t in record.turns] == ["verify", "submit", None, "submit", "run", "submit", "submit"]
    assert [t.unchanged for t in record.turns] == [False, False, False, True, False, False, False]
    assert record.turns[5].score is not None
    assert record.turns[5].score.outcome == "proof_escape"
    assert record.turns[0].evidence is not None
    assert record.turns[0].times["turn_s"] >= 0


def test_no_submission_is_a_component(env: ProofEnv) -> None:
    record = played(env, "", "<done/>")
    assert record.components == {"wasted_turns": -0.25, "no_submission": -1.5}
    assert record.reward == -1.75
    assert not record.verified
    assert record.tools == (TOOL,)


def test_one_line_and_back(env: ProofEnv, tmp_path: Path) -> None:
    record = played(env, *TURNS)
    line = dump_record(record)
    assert "\n" not in line
    assert record_from_row(json.loads(line)) == record
    assert record_to_row(record_from_row(record_to_row(record))) == record_to_row(record)
    path = tmp_path / "episodes.jsonl"
    path.write_text(f"{line}\n{line}\n", encoding="utf-8")
    assert list(load_records(path)) == [record, record]
    path.write_text(f"{line}\n{{}}\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"episodes\.jsonl:2: no episode record"):
        list(load_records(path))
    with pytest.raises(UserError, match="cannot read episodes"):
        list(load_records(tmp_path / "nothing.jsonl"))


def test_scoring_again_under_the_same_weights_changes_nothing(env: ProofEnv) -> None:
    record = played(env, *TURNS)
    assert rescore(record, load_reward("rewards/obligation.py"), EpisodeTerms()) == record


def test_scoring_again_equals_playing_under_the_other_reward(suite: Suite, services: Services) -> None:
    make = load_environment("envs/annotation_repair.py")
    settings = EpisodeConfig(prompt="compact")
    turns = (f"<submit>{WRONG}</submit>", "", f"<submit>{GIVEN}assume</submit>", "<done/>")
    terms = EpisodeTerms(wasted_turn=-0.5)
    other = Services(
        services.collect, services.audit, services.execute,
        load_reward("rewards/obligation.py", {"probes": False, "proof_escape": 0.25}), terms,
    )  # fmt: skip
    first = played(make(suite, settings=settings, services=services), *turns)
    second = played(make(suite, settings=settings, services=other), *turns)
    assert first.reward != second.reward
    assert rescore(first, other.reward, terms) == second
    assert rescore(second, services.reward, services.terms) == first
