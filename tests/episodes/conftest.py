"""Fixtures of the episodes' tests: a hand-made suite and a scripted verifier."""

import pytest

from tests.episodes.factory import Script, make_instance
from verulaw_rl.episodes.services import Services
from verulaw_rl.evidence.reward import load_reward
from verulaw_rl.suites.instance import Instance, Suite


@pytest.fixture
def instance() -> Instance:
    return make_instance()


@pytest.fixture
def suite() -> Suite:
    return Suite("hand", tuple(make_instance(f"hand/Count{n}/annotation_repair") for n in range(3)))


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def services(script: Script) -> Services:
    return Services(script.collect, script.audit, script.execute, load_reward("rewards/obligation.py"))
