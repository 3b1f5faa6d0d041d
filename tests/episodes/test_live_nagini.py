"""A whole Nagini episode against the installed verifier, of either task."""

import pytest

from verulaw_rl.config.episode import EpisodeConfig, RewardConfig
from verulaw_rl.config.verification import VerificationConfig
from verulaw_rl.episodes.episode import Episode
from verulaw_rl.episodes.services import live_services
from verulaw_rl.languages.base import Task
from verulaw_rl.suites.bundled import bundled_suite

pytestmark = pytest.mark.tool

PROGRAM = "seed-nagini/arithmetic_loops/multiply_by_adding"


def test_from_the_given_to_the_verified_end() -> None:
    settings = EpisodeConfig(turns=4)
    verification = VerificationConfig(workers=1, solver_s=90)
    with live_services(verification, RewardConfig(), settings) as services:
        for task in (Task.ANNOTATION_REPAIR, Task.CODE_GENERATION):
            instance = bundled_suite(task, "nagini").get(f"{PROGRAM}:{task.value}")
            first = instance.given.replace("    pass\n", "    return 0\n")
            cheat = instance.reference.replace("    product = 0\n", "    Assume(False)\n    product = 0\n")
            episode = Episode(instance, settings, services.for_episode())
            said = [
                episode.play(text).observation
                for text in (
                    f"<submit>\n{first}</submit>",
                    f"<submit>\n{cheat}</submit>",
                    f"<run>\n{instance.reference}<calls>print(multiply(6, 7))</calls></run>",
                    f"<submit>\n{instance.reference}</submit>",
                )
            ]
            # Nothing times b is 0; without its invariants the loop proves nothing.
            assert said[0].startswith("Not verified: "), said[0]
            assert "postcondition" in said[0]
            assert "Rejected by the integrity audit" in said[1]
            assert "\n42\n" in said[2]
            assert said[3] == "Verified: every obligation is met.\nScore 3.000. Best so far 3.000."
            assert (episode.end_reason, episode.summary().reward) == ("verified", pytest.approx(3.0))
