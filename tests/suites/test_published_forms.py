"""DafnyBench's own stripped programs, all of them: which keep the specification and code of their reference."""

from collections import Counter
from pathlib import Path

import pytest

from verulaw_rl.audit.check import check
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.registry import get_language
from verulaw_rl.suites.sources import suite_programs

pytestmark = pytest.mark.unit


def test_what_the_published_forms_lost(shared_data: Path) -> None:
    dafny = get_language("dafny")
    _, programs, without = suite_programs("dafnybench", None, ".dfy", shared_data / "dafnybench", published_given=True)
    counts: Counter[str] = Counter({"no published form": len(without)})
    found: Counter[str] = Counter()
    for program in programs:
        if dafny.parse(program.text).error or dafny.parse(program.given).error:
            counts["not read by our parser"] += 1
        elif program.given == program.text:
            counts["nothing is removed"] += 1
        elif findings := check("dafny", Task.ANNOTATION_REPAIR, program.given, program.text).findings:
            counts["more than annotations is removed"] += 1
            found[findings[0].construct] += 1
        else:
            counts["only annotations are removed"] += 1
    assert counts == {
        "only annotations are removed": 607,
        "nothing is removed": 102,
        "not read by our parser": 62,
        "more than annotations is removed": 11,
        "no published form": 3,
    }
    # `decreases *` in six, a body in two; in three the rest of an invariant of several lines is left behind as code.
    assert found == {"decreases_star": 6, "body_added": 2, "statement_changed": 3}
