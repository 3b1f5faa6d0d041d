"""What the agent reads: exact texts, and that no probe can be read from them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.episodes.factory import (
    ASSUMES,
    GIVEN,
    INVARIANT_FAILS,
    POSTCONDITION_FAILS,
    REFERENCE,
    WEAKENED,
    evidence_of,
    make_instance,
)
from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.episodes import observations
from verulaw_rl.episodes.action import InvalidAction
from verulaw_rl.episodes.episode import Episode
from verulaw_rl.episodes.services import Services
from verulaw_rl.evidence.evidence import Evidence, Message
from verulaw_rl.evidence.reward import load_reward
from verulaw_rl.languages.base import Category
from verulaw_rl.languages.dafny.language import DAFNY
from verulaw_rl.languages.insertions import Insertion
from verulaw_rl.suites.instance import Instance
from verulaw_rl.verification.execution import RunResult
from verulaw_rl.verification.verdict import Status

pytestmark = pytest.mark.unit
FULL, COMPACT = EpisodeConfig(), EpisodeConfig(prompt="compact")
WRONG = GIVEN.replace("while i < n\n", "while i < n\n    invariant i == n\n")
LINE = observations.places(GIVEN, None)
INSTANCE = make_instance()


def say(evidence: Evidence, settings: EpisodeConfig, candidate: str = WRONG) -> str:
    return observations.verdict(evidence, candidate, LINE, settings)


def test_unmet_obligations_in_full() -> None:
    evidence = evidence_of(INSTANCE, WRONG, messages=(POSTCONDITION_FAILS, INVARIANT_FAILS, INVARIANT_FAILS))
    assert say(evidence, FULL) == (
        "Not verified: 2 unmet obligations.\n"
        "- invariant, line 6 `invariant i == n`: This loop invariant might not be maintained by the loop.\n"
        "- postcondition, line 9 `}`: A postcondition might not hold on this return path. (i == n)"
    )


def test_unmet_obligations_in_few_words() -> None:
    evidence = evidence_of(INSTANCE, WRONG, messages=(POSTCONDITION_FAILS, INVARIANT_FAILS))
    assert say(evidence, COMPACT) == "unverified\nline 6 invariant maintained\nline 9 postcondition"


def test_at_most_so_many_are_shown() -> None:
    messages = tuple(Message(Category.ASSERTION, "error", n, 0, "assertion might not hold") for n in range(9, 0, -1))
    evidence = evidence_of(INSTANCE, WRONG, messages=messages)
    lines = say(evidence, EpisodeConfig(observation_messages=2)).split("\n")
    assert lines[0] == "Not verified: 9 unmet obligations."
    assert [line[:19] for line in lines[1:3]] == ["- assertion, line 1", "- assertion, line 2"]
    assert lines[3:] == ["... and 7 more"]


@pytest.mark.parametrize(
    ("evidence", "full", "compact"),
    [
        (evidence_of(INSTANCE, "", Status.VERIFIED), "Verified: every obligation is met.", "verified"),
        (
            evidence_of(INSTANCE, "", None, (), (ASSUMES,)),
            "Rejected by the integrity audit, and not verified:\n"
            "- proof, line 4: `assume` believes what is to be proved; use `assert`.",
            "rejected\nline 4 assume",
        ),
        (
            evidence_of(INSTANCE, "", Status.VERIFIED, (), (ASSUMES, WEAKENED)),
            "Rejected by the integrity audit; the verifier accepts it all the same:\n"
            "- specification, line 2: `ensures i == n` is gone; restore it.\n"
            "- proof, line 4: `assume` believes what is to be proved; use `assert`.",
            "rejected\nline 4 assume\nline 2 clause changed",
        ),
        (
            evidence_of(INSTANCE, "", Status.INVALID, (), messages=(Message(None, "error", 1, 3, "rbrace expected"),)),
            "Not verified: the program does not parse, resolve or type-check.\n"
            "- error, line 1 `method Count(n: nat) returns (i: nat)`: rbrace expected",
            "invalid\nline 1 error",
        ),
        (
            evidence_of(INSTANCE, "", Status.TIMEOUT),
            "Not verified: the solver ran out of its budget; 0 unmet obligations.",
            "timeout",
        ),
        (evidence_of(INSTANCE, "", Status.ERROR), "Not verified: the verifier could not be run.", "error"),
        (
            evidence_of(INSTANCE, "", Status.ERROR, program_fault=True),
            "Not verified: the verifier crashes on this program.",
            "error",
        ),
        (
            replace(evidence_of(INSTANCE, "", Status.VERIFIED), verified=False, missing=("M.N", "Count")),
            "Not verified: 0 unmet obligations.\n- not checked: Count, M.N",
            "unverified",
        ),
    ],
)
def test_every_outcome(evidence: Evidence, full: str, compact: str) -> None:
    assert say(evidence, FULL, GIVEN) == full
    assert say(evidence, COMPACT, GIVEN) == compact


def test_lines_of_insertions_are_named_in_the_agents_terms() -> None:
    place = observations.places(GIVEN, (Insertion(5, "a\nb"), Insertion(0, "c"), Insertion(5, "d"), Insertion(9, "e")))
    named = [place(n) for n in range(1, 16)]
    assert named == [
        "@0 line 1", "line 1", "line 2", "line 3", "line 4", "line 5", "@5 line 1", "@5 line 2", "@5 line 3",
        "line 6", "line 7", "line 8", "line 9", "@9 line 1", "line 15",
    ]  # fmt: skip


def test_output_of_a_run_is_cut() -> None:
    assert observations.run(RunResult("ok", "3\n")) == "It ran to its end.\n3"
    assert observations.run(RunResult("failed", "")) == "It stopped with an error.\n(no output)"
    said = observations.run(RunResult("ok", "x" * 5000))
    assert said.endswith("\n... and 1000 characters more")


def test_an_invalid_turn_shows_a_valid_one() -> None:
    said = observations.invalid(InvalidAction("no_action", "the turn holds no action."), FULL, DAFNY.illustration)
    assert "the turn holds no action." in said
    assert said.endswith("<submit>\n... the whole program ...\n</submit>")
    assert observations.invalid(InvalidAction("no_action", "x"), COMPACT, DAFNY.illustration) == "invalid no action"


def test_the_score_shown_is_the_one_without_probes() -> None:
    evidence = evidence_of(INSTANCE, WRONG, messages=(POSTCONDITION_FAILS,))
    services = Services(
        lambda i, c: evidence,
        lambda i, c: (),
        lambda i, p, c: RunResult("ok", ""),
        load_reward("rewards/obligation.py"),
    )
    episode = Episode(INSTANCE, FULL, services)
    turn = episode.play(f"<submit>{WRONG}</submit>")
    # Unmet: the postcondition (0.25) and the probed invariant (0.4); met: safety and termination (0.1 each).
    assert turn.score is not None
    assert turn.score.total == pytest.approx(0.2 / 0.85)
    assert turn.observation.endswith("\nScore 0.444. Best so far 0.444.\nTurns left: 19.")


OBLIGATIONS = ["ensures:Count:0", "safety:Count", "termination:Count:0", "probe:0"]
MESSAGES = st.lists(
    st.builds(Message, st.none() | st.sampled_from(Category), st.just("error"), st.integers(0, 12), st.integers(0, 3),
              st.sampled_from(["a", "b"])), max_size=4,
).map(tuple)  # fmt: skip
CANDIDATES = st.sampled_from([GIVEN, WRONG, REFERENCE])
TURNS = st.lists(
    st.builds("<{0}>{1}</{0}>".format, st.sampled_from(["verify", "submit", "audit", "run"]), CANDIDATES)
    | st.just("nothing"), min_size=1, max_size=5,
)  # fmt: skip


@given(
    st.dictionaries(
        st.sampled_from([GIVEN, WRONG, REFERENCE]),
        st.tuples(
            st.sampled_from(Status),
            st.sets(st.sampled_from(OBLIGATIONS)),
            st.sampled_from([(), (ASSUMES,), (WEAKENED, ASSUMES)]),
            MESSAGES,
        ),
        min_size=3,
        max_size=3,
    ),
    TURNS,
    st.sampled_from([FULL, COMPACT]),
)
def test_probes_do_not_show(answers: dict, turns: list[str], settings: EpisodeConfig) -> None:
    """With and without probes, whether they are proved or not, the agent reads the same."""

    def collect(instance: Instance, candidate: str) -> Evidence:
        status, met, findings, messages = answers[candidate]
        return evidence_of(instance, candidate, status, tuple(met), findings, messages)

    def without(instance: Instance, candidate: str) -> Evidence:
        return collect(instance, candidate).without_probes()

    def turned(instance: Instance, candidate: str) -> Evidence:
        evidence = collect(instance, candidate)
        flipped = tuple(replace(r, discharged=r.discharged != r.is_probe) for r in evidence.results)
        return replace(evidence, results=flipped)

    reward = load_reward("rewards/obligation.py")
    read = []
    for verifier in (collect, without, turned):
        services = Services(verifier, lambda i, c: (), lambda i, p, c: RunResult("ok", c), reward)
        episode = Episode(INSTANCE, settings, services)
        read.append([episode.play(text).observation for text in turns if episode.end_reason is None])
    assert read[0] == read[1] == read[2]
    assert not any("probe" in observation for observation in read[0])
