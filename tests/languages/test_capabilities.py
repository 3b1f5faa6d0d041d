"""The page on languages says what the languages say, and the languages say no more than is there."""

from pathlib import Path

import pytest

from verulaw_rl.errors import UserError
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.capabilities import Capability, Standing, table
from verulaw_rl.languages.registry import get_language, language_names
from verulaw_rl.suites.bundled import bundled_path
from verulaw_rl.suites.instance import load_suite
from verulaw_rl.suites.seed import seed_languages
from verulaw_rl.suites.sources import BENCHMARKS
from verulaw_rl.verification.registry import get_adapter

pytestmark = pytest.mark.unit
LANGUAGES = [get_language(name) for name in language_names()]
MARKS = ("<!-- table -->\n", "<!-- end of table -->")


def test_the_page_holds_the_table(repository: Path) -> None:
    page = (repository / "docs" / "languages.md").read_text()
    shown = page.split(MARKS[0])[1].split(MARKS[1])[0].strip()
    assert shown == table(LANGUAGES).strip(), "put the output of `verulaw_rl.languages.capabilities.table` there"


@pytest.mark.parametrize("name", language_names())
def test_every_capability_has_its_standing(name: str) -> None:
    said = get_language(name).capabilities
    assert set(said) == set(Capability)
    if said[Capability.VERIFIER] is not Standing.LIVE:
        for rests_on_it in (Capability.WARM, Capability.CHECKS, Capability.RUN, Capability.SEED, Capability.EPISODES):
            assert said[rests_on_it] is not Standing.LIVE


@pytest.mark.parametrize("name", language_names())
def test_what_is_said_to_be_live_is_there(name: str) -> None:
    said = get_language(name).capabilities
    built = bundled_path(name).exists()
    assert (said[Capability.SEED] is Standing.LIVE) == built
    assert (said[Capability.SEED] is not Standing.UNTRIED) <= (name in seed_languages())
    if built:
        tasks = {i.task for i in load_suite(bundled_path(name)).instances}
        assert tasks == {Task.ANNOTATION_REPAIR, Task.CODE_GENERATION}
    if said[Capability.BENCHMARK] is Standing.LIVE:
        assert name in {b.language for b in BENCHMARKS.values()}
    with pytest.raises(UserError) as known:
        get_adapter("cobol")
    assert (said[Capability.VERIFIER] is Standing.UNTRIED) <= (name not in str(known.value))


@pytest.mark.parametrize("name", language_names())
@pytest.mark.parametrize("task", list(Task))
def test_rules_are_short_and_forbid_what_the_audit_forbids(name: str, task: Task) -> None:
    rules = get_language(name).rules(task)
    # A token of a language model is at least three characters of such text.
    assert len(rules) / 3 < 400
    assert "Never write" in rules
