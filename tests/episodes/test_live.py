"""Episodes against the installed verifier."""

import threading
import time
from concurrent.futures import CancelledError

import pytest

from tests.episodes.factory import GIVEN, REFERENCE, make_instance
from verulaw_rl.config.episode import EpisodeConfig, RewardConfig
from verulaw_rl.config.verification import VerificationConfig
from verulaw_rl.episodes.episode import Episode
from verulaw_rl.episodes.registration import load_environment
from verulaw_rl.episodes.services import live_services
from verulaw_rl.suites.instance import Suite

pytestmark = pytest.mark.tool
TURNS = (
    f"<verify>{GIVEN}</verify>",
    f"<submit>{GIVEN.replace('while i < n', 'while i < n invariant i == n')}</submit>",
    f"<audit>{GIVEN.replace('i := 0;', 'i := 0; assume i == n;')}</audit>",
    f"<submit>{GIVEN.replace('i := 0;', 'i := 0; assume i == n;')}</submit>",
    f"<run>{GIVEN}<calls>var i := Count(3); print i;</calls></run>",
    f"<submit>{REFERENCE}</submit>",
)


def test_from_the_first_message_to_the_verified_end() -> None:
    settings = EpisodeConfig()
    read = []
    with live_services(VerificationConfig(workers=1), RewardConfig(), settings) as services:
        for _ in range(2):
            episode = Episode(make_instance(), settings, services)
            read.append([episode.play(text).observation for text in TURNS])
            assert episode.end_reason == "verified"
            assert episode.summary().reward == pytest.approx(3.0)
    first = read[0]
    assert first == read[1]
    assert first[0].startswith("Not verified: 1 unmet obligation.\n- postcondition, line 5 `while i < n`")
    assert "- invariant, line 5 `while i < n invariant i == n`" in first[1]
    assert first[2].startswith("The integrity audit rejects this program:\n- proof, line 4: ")
    assert first[3].startswith("Rejected by the integrity audit, and not verified:")
    assert "Score -3.000." in first[3]
    assert first[4].startswith("It ran to its end.\n3\n")
    assert first[5] == "Verified: every obligation is met.\nScore 3.000. Best so far 3.000."


def test_a_cancelled_episode_lets_go_of_the_verifier() -> None:
    hard = (
        "lemma Cubes(a: int, b: int, c: int)\n  requires a > 1 && b > 1 && c > 1\n"
        "  ensures a*a*a + b*b*b != c*c*c\n{\n}\n"
    )
    verification = VerificationConfig(workers=1, solver_s=600, wall_s=1200, cache=False)
    with live_services(verification, RewardConfig(), EpisodeConfig()) as services:
        environment = load_environment("envs/annotation_repair.py")
        suite = Suite("hand", (make_instance(),))
        env = environment(suite, services=services)
        env.reset(options={"instance": suite.instances[0].key})
        threading.Timer(3, env.cancel).start()
        with pytest.raises(CancelledError):
            env.step(f"<verify>{GIVEN}{hard}</verify>")
        other = environment(suite, services=services)
        other.reset(options={"instance": suite.instances[0].key})
        began = time.monotonic()
        assert other.step(f"<submit>{REFERENCE}</submit>")[2]
        assert time.monotonic() - began < 60  # the proof that was broken off would take ten minutes
