from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from verulaw_rl.config.verification import VerificationConfig
from verulaw_rl.episodes.record import EpisodeRecord
from verulaw_rl.evaluation.stability import accepted_programs, read_verdicts, summarise_seeds, verify_again
from verulaw_rl.evaluation.statistics import wilson
from verulaw_rl.evidence.live import limits_of, open_pool
from verulaw_rl.suites.instance import Instance
from verulaw_rl.verification.verdict import Status, ToolIdentity, Verdict, VerifyRequest

Make = Callable[..., EpisodeRecord]


def verdict(status: Status) -> Verdict:
    return Verdict(status, (), True, ToolIdentity("dafny", "2.3.0", "z3 4.8.5"))


@pytest.mark.unit
def test_only_accepted_programs_each_once(record: Make) -> None:
    records = [record("a", "failed", "verified"), record("a", "verified"), record("b", "specification"), record("c")]
    assert [key[0] for key in accepted_programs(records)] == ["a"]


@pytest.mark.unit
def test_a_program_holds_when_every_seed_verifies_it(
    record: Make, instance: Callable[..., Instance], tmp_path: Path
) -> None:
    records = [record(key, "verified") for key in "abc"]
    # One text is one program of each instance; which instance is asked for shows in its language.
    instances = {key: replace(instance(key), language=key) for key in "abc"}
    asked: list[tuple[str, int]] = []
    flaky = {("b", 2): Status.TIMEOUT, ("c", 3): Status.ERROR}

    def verify(language: str, program: str, seed: int) -> Verdict:
        asked.append((language, seed))
        return verdict(flaky.get((language, seed), Status.VERIFIED))

    out = tmp_path / "seeds.jsonl"
    found = summarise_seeds(verify_again(records, instances, verify, 3, out), instances)
    assert found.all_hold == wilson(2, 3)
    assert found.verdicts_hold.value == pytest.approx(7 / 8)  # nine, of which one says nothing
    assert found.unstable == {"b": {"verified": 2, "timeout": 1}}
    assert (found.programs, found.seeds, found.errors) == (3, 3, 1)

    asked.clear()
    flaky.clear()
    again = summarise_seeds(verify_again(records, instances, verify, 3, out), instances)
    assert asked == [("c", 3)]  # the machine's failure is asked again, nothing else
    assert again.errors == 0
    assert len(read_verdicts(out)) == 9


@pytest.mark.tool
def test_seeds_are_asked_of_the_real_verifier(record: Make, instance: Callable[..., Instance], tmp_path: Path) -> None:
    config = VerificationConfig(cache=False, workers=1)
    with open_pool(config) as pool:

        def verify(language: str, program: str, seed: int) -> Verdict:
            return pool.verify(VerifyRequest(language, program, replace(limits_of(config), solver_seed=seed)))

        found = verify_again([record("a", "verified")], {"a": instance("a")}, verify, 2, tmp_path / "seeds.jsonl")
    assert [(v.seed, v.status) for v in found] == [(1, Status.VERIFIED), (2, Status.VERIFIED)]
