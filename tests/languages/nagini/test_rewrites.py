"""Generated attacks on the audit, and honest rewrites: every one of a few whole programs."""

import pytest

from verulaw_rl.audit.check import check
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.nagini.language import NAGINI
from verulaw_rl.languages.nagini.view import read
from verulaw_rl.languages.rewrites import Family, apply_edits
from verulaw_rl.suites.seed import seed_programs

pytestmark = pytest.mark.unit
PROGRAMS = {p.name: p.text for p in seed_programs("nagini")}


@pytest.mark.parametrize("name", ["classes/counter", "lists/sum_of_list", "termination/count_up"])
@pytest.mark.parametrize("task", [Task.ANNOTATION_REPAIR, Task.CODE_GENERATION])
def test_every_attack_is_rejected_and_every_honest_rewrite_accepted(name: str, task: Task) -> None:
    reference = PROGRAMS[name]
    given = (NAGINI.strip_annotations if task is Task.ANNOTATION_REPAIR else NAGINI.strip_bodies)(reference)
    made = dict.fromkeys(Family, 0)
    for rewrite in NAGINI.rewrites(task, reference):
        candidate = apply_edits(reference, rewrite.edits)
        if read(candidate).view.error is not None:
            continue
        made[rewrite.family] += 1
        accepted = check("nagini", task, given, candidate).verdict == "accept"
        assert accepted == (rewrite.family is Family.HONEST), f"{rewrite.kind}:\n{candidate}"
    assert min(made.values()) >= 15
